package check

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"weir/cmd/weir/daemon"
)

// TestPortsOfAWeir: ports that are taken by the Weir of the configuration are no trouble, whether its admin port has a
// certificate, asks for a password, or neither; those of another program are.
func TestPortsOfAWeir(t *testing.T) {
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "# HELP weir_clients Clients.\n") })
	guarded := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="Weir"`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	for name, c := range map[string]struct {
		server *httptest.Server
		tls    bool
		weir   bool
	}{
		"plain":             {httptest.NewServer(metrics), false, true},
		"with a password":   {httptest.NewServer(guarded), false, true},
		"with TLS":          {httptest.NewTLSServer(metrics), true, true},
		"somebody else":     {httptest.NewServer(http.NotFoundHandler()), false, false},
		"TLS, unexpectedly": {httptest.NewTLSServer(metrics), false, false},
	} {
		defer c.server.Close()
		cfg := daemon.Default()
		cfg.Listen, cfg.Admin = "127.0.0.1:0", c.server.Listener.Addr().String()
		if c.tls {
			cfg.AdminTLS.CertFile = "cert.pem"
		}
		if p := lookAtPorts(t.Context(), cfg)[1]; !p.Taken || p.Weir != c.weir {
			t.Errorf("%s: taken %v, by a Weir %v; want true and %v", name, p.Taken, p.Weir, c.weir)
		}
	}
}
