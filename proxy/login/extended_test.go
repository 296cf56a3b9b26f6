package login

import (
	"strings"
	"testing"

	"weir/proxy/wire"
)

// TestPitfall35ExtendedMetadata: MariaDB's clients get it from a MariaDB, by the absence of bit 0, and nobody is promised
// what the server behind does not have: the column definitions could not be read.
func TestPitfall35ExtendedMetadata(t *testing.T) {
	tests := []struct {
		version string
		asked   wire.Capability
		want    wire.Capability // of bit 0 and the extended ones
		problem string
	}{
		{"10.11.6-MariaDB", wire.ClientExtendedMetadata, wire.ClientExtendedMetadata, ""},
		{"10.11.6-MariaDB", 0, wire.ClientMySQL, ""},
		{"8.4.0", 0, wire.ClientMySQL, ""},
		{"8.4.0", wire.ClientExtendedMetadata, 0, "server 8.4.0 has no extended metadata"},
	}
	for _, tc := range tests {
		a, b := pipe(t)
		o := server()
		o.Version = tc.version
		wait := accepting(t.Context(), a, o, welcome)
		backend, err := logIn(t.Context(), b, ClientOptions{User: "app", Password: "secret", Capabilities: tc.asked})
		b.Close()
		s, acceptErr := wait()
		if tc.problem != "" {
			if err == nil || !strings.Contains(err.Error(), tc.problem) {
				t.Errorf("%s: %v, want %q", tc.version, err, tc.problem)
			}
			continue
		}
		if err != nil || acceptErr != nil {
			t.Fatalf("%s: client %v, server %v", tc.version, err, acceptErr)
		}
		const bits = wire.ClientMySQL | wire.ClientExtendedMetadata
		if backend.Capabilities&bits != tc.want || s.Capabilities&bits != tc.want {
			t.Errorf("%s, asked for %#x: client %#x, server %#x", tc.version, uint64(tc.asked), uint64(backend.Capabilities), uint64(s.Capabilities))
		}
	}
}
