package daemon

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// TestAdminTLS: the admin port speaks HTTPS if it has a certificate, takes a new one at a reload, and keeps the old one if
// the new one cannot be used.
func TestAdminTLS(t *testing.T) {
	a := newAuthority(t)
	first, second := a.issue("first", "127.0.0.1"), a.issue("second", "127.0.0.1")
	var log bytes.Buffer
	d := &Daemon{log: slog.New(slog.NewTextHandler(&log, nil)), cfg: Config{
		Admin: "127.0.0.1:0", AdminAuth: AdminAuth{Token: testToken}, AdminTLS: AdminTLS{CertFile: first.cert, KeyFile: first.key},
	}}
	var err error
	if d.admin, err = d.listenAdmin(); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "figures") })
	defer d.serve(mux, func() (string, bool) { return "ok", true }).Close()
	shows := func(want string) {
		t.Helper()
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: a.pool(), MinVersion: tls.VersionTLS12}, DisableKeepAlives: true}}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.AdminURL()+"/metrics", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+testToken)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if name := response.TLS.PeerCertificates[0].Subject.CommonName; response.StatusCode != http.StatusOK || name != want {
			t.Errorf("%s, from %s, want %s", response.Status, name, want)
		}
	}
	if !strings.HasPrefix(d.AdminURL(), "https://") {
		t.Errorf("the page is at %s", d.AdminURL())
	}
	shows("first")
	replace(t, first, second)
	d.reloadAdmin()
	shows("second")
	d.cfg.AdminTLS.KeyFile = a.file // no key
	d.reloadAdmin()
	shows("second")
	if !strings.Contains(log.String(), "the one before stays in use") {
		t.Errorf("the log says %s", &log)
	}
}

// TestAdminWarnsOfPlainHTTP: a token that goes over a network in clear is worth a line in the log.
func TestAdminWarnsOfPlainHTTP(t *testing.T) {
	for _, c := range []struct {
		admin string
		tls   AdminTLS
		warns bool
	}{
		{"127.0.0.1:9307", AdminTLS{}, false},
		{"0.0.0.0:9307", AdminTLS{}, true},
		{"0.0.0.0:9307", AdminTLS{CertFile: "a", KeyFile: "b"}, false},
	} {
		var log bytes.Buffer
		(&Daemon{log: slog.New(slog.NewTextHandler(&log, nil)), cfg: Config{Admin: c.admin, AdminTLS: c.tls}}).warnPlain()
		if warns := strings.Contains(log.String(), "overheard"); warns != c.warns {
			t.Errorf("%s: the log says %q", c.admin, &log)
		}
	}
}
