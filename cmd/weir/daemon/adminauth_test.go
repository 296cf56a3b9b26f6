package daemon

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const (
	testToken    = "0123456789abcdef"
	testPassword = "correct horse"
)

// guarded is a guard in front of a page that says secret.
func guarded(auth AdminAuth, log *bytes.Buffer) http.Handler {
	return &adminGuard{
		auth: auth, host: "weir.example",
		next:      http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("secret")) }),
		health:    func() (string, bool) { return "not ready", false },
		penalties: newPenalties(slog.New(slog.NewTextHandler(log, nil))),
	}
}

// asking is a request to a path, with headers in pairs; "Host" is the name by which it asks.
func asking(t *testing.T, path string, headers ...string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
	r.Host, r.RemoteAddr = "127.0.0.1:9307", "10.0.0.9:5000"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return r
}

func basic(user, password string) string {
	r := &http.Request{Header: http.Header{}}
	r.SetBasicAuth(user, password)
	return r.Header.Get("Authorization")
}

func TestAdminGuard(t *testing.T) {
	open, token := AdminAuth{}, AdminAuth{Token: testToken}
	person := AdminAuth{User: "ops", Password: testPassword}
	both := AdminAuth{Token: testToken, User: "ops", Password: testPassword}
	for _, c := range []struct {
		name    string
		auth    AdminAuth
		path    string
		headers []string
		status  int
		body    string
	}{
		{"by address", open, "/", nil, 200, "secret"},
		{"by localhost", open, "/", []string{"Host", "LOCALHOST:9307"}, 200, "secret"},
		{"by an IPv6 address", open, "/", []string{"Host", "[::1]:9307"}, 200, "secret"},
		{"by an IPv6 address without a port", open, "/", []string{"Host", "[::1]"}, 200, "secret"},
		{"by the configured name", open, "/", []string{"Host", "weir.example:9307"}, 200, "secret"},
		{"by no name", open, "/", []string{"Host", ""}, 200, "secret"},
		{"rebound name", open, "/metrics", []string{"Host", "evil.example:9307"}, 421, "pose"},
		{"rebound name that looks like an address", open, "/", []string{"Host", "127.0.0.1.evil.example"}, 421, "pose"},
		{"rebound name, health", open, "/healthz", []string{"Host", "evil.example"}, 421, "pose"},
		{"another address", open, "/", []string{"Host", "10.0.0.1:9307"}, 421, "pose"},
		{"embedded in another site", open, "/api/v1/events", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}, 403, "tab"},
		{"framed by another site", open, "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403, "tab"},
		{"another port of this machine", open, "/metrics", []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"}, 403, "tab"},
		{"a link from another site", open, "/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200, "secret"},
		{"its own page", open, "/api/v1/events", []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}, 200, "secret"},

		{"no token", token, "/", nil, 401, "admin_auth"},
		{"another name needs no check with a token", token, "/", []string{"Host", "db.example", "Authorization", "Bearer " + testToken}, 200, "secret"},
		{"bearer in small letters", token, "/", []string{"Authorization", "bearer " + testToken}, 200, "secret"},
		{"wrong token", token, "/", []string{"Authorization", "Bearer " + testToken + "0"}, 401, "admin_auth"},
		{"no token at all", token, "/", []string{"Authorization", "Bearer "}, 401, "admin_auth"},
		{"token as a password", token, "/", []string{"Authorization", basic("x", testToken)}, 200, "secret"},
		{"nobody with an empty password", token, "/", []string{"Authorization", basic("", "")}, 401, "admin_auth"},
		{"another scheme", token, "/", []string{"Authorization", "Digest " + testToken}, 401, "admin_auth"},
		{"password", person, "/", []string{"Authorization", basic("ops", testPassword)}, 200, "secret"},
		{"wrong password", person, "/", []string{"Authorization", basic("ops", testPassword+"x")}, 401, "admin_auth"},
		{"wrong user", person, "/", []string{"Authorization", basic("root", testPassword)}, 401, "admin_auth"},
		{"empty bearer where there is no token", person, "/", []string{"Authorization", "Bearer "}, 401, "admin_auth"},
		{"empty password where there is no token", person, "/", []string{"Authorization", basic("ops", "")}, 401, "admin_auth"},
		{"password as a bearer", person, "/", []string{"Authorization", "Bearer " + testPassword}, 401, "admin_auth"},
		{"either", both, "/", []string{"Authorization", "Bearer " + testToken}, 200, "secret"},
		{"or", both, "/", []string{"Authorization", basic("ops", testPassword)}, 200, "secret"},

		{"life", both, "/healthz", nil, 200, "ok\n"},
		{"health in a word", both, "/readyz", nil, 503, "not ready\n"},
		{"health in full", both, "/readyz", []string{"Authorization", "Bearer " + testToken}, 200, "secret"},
		{"health with a wrong token", both, "/healthz", []string{"Authorization", "Bearer x"}, 401, "admin_auth"},
		{"what looks like health", both, "/healthz/../metrics", nil, 401, "admin_auth"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := httptest.NewRecorder()
				guarded(c.auth, &bytes.Buffer{}).ServeHTTP(w, asking(t, c.path, c.headers...))
				if body := w.Body.String(); w.Code != c.status || !strings.Contains(body, c.body) || (c.body != "secret" && strings.Contains(body, "secret")) {
					t.Errorf("%d %q, want %d with %q", w.Code, body, c.status, c.body)
				}
				if asks := w.Header().Values("WWW-Authenticate"); (len(asks) == 2) != (c.status == 401) {
					t.Errorf("status %d, and WWW-Authenticate is %q", w.Code, asks)
				}
				if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("headers are %v", w.Header())
				}
				time.Sleep(2 * penalty) //nolint:forbidigo // in a bubble: what counts the penalty has to end
			})
		})
	}
}

// TestAdminGuesses: a wrong token is answered late, and while many of one address wait, a right one is not told from it.
func TestAdminGuesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := guarded(AdminAuth{Token: testToken}, &log)
		try := func(from, token string) (status int, took time.Duration) {
			r, begun := asking(t, "/", "Authorization", "Bearer "+token), time.Now()
			r.RemoteAddr = from + ":1"
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code, time.Since(begun)
		}
		for range guesses {
			go func() {
				if status, took := try("10.0.0.1", "wrong"); status != 401 || took != penalty {
					t.Errorf("a wrong token is answered %d after %v", status, took)
				}
			}()
		}
		synctest.Wait()
		for _, token := range []string{"wrong", testToken} {
			if status, took := try("10.0.0.1", token); status != 429 || took != 0 {
				t.Errorf("%q from an address that guesses: %d after %v", token, status, took)
			}
		}
		if status, _ := try("10.0.0.2", testToken); status != 200 {
			t.Errorf("somebody else is answered %d", status)
		}
		time.Sleep(penalty) //nolint:forbidigo // in a bubble
		synctest.Wait()
		if status, _ := try("10.0.0.1", testToken); status != 200 {
			t.Errorf("a second later: %d", status)
		}
		if told := strings.Count(log.String(), "wrong token"); told != 1 || strings.Contains(log.String(), testToken) || !strings.Contains(log.String(), "10.0.0.1") {
			t.Errorf("the log says, %d times: %s", told, &log)
		}
	})
}

// TestAdminGuessesOfThoseWhoLeave: who hangs up counts for as long as who waits.
func TestAdminGuessesOfThoseWhoLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, who := newPenalties(slog.New(slog.DiscardHandler)), netip.MustParseAddr("10.0.0.1")
		gone, hangUp := context.WithCancel(t.Context())
		hangUp()
		for range guesses {
			if v := p.try(who, func() bool { return false }); v != wrong {
				t.Fatalf("verdict %v", v)
			}
			p.serve(gone, who)
		}
		if v := p.try(who, func() bool { return true }); v != unheard {
			t.Errorf("whoever hung up may try again at once: %v", v)
		}
		time.Sleep(penalty) //nolint:forbidigo // in a bubble
		synctest.Wait()
		if v := p.try(who, func() bool { return true }); v != accepted || p.all != 0 || len(p.waiting) != 0 {
			t.Errorf("afterwards: %v, %d waiting", v, p.all)
		}
	})
}

func TestAdminConfig(t *testing.T) {
	person := AdminAuth{User: "ops", Password: testPassword}
	for _, c := range []struct {
		admin string
		auth  AdminAuth
		tls   AdminTLS
		says  string
	}{
		{admin: "127.0.0.1:9307"},
		{admin: "[::1]:9307"},
		{admin: "localhost:9307", auth: person},
		{admin: "0.0.0.0:9307", auth: person},
		{admin: ":9307", auth: AdminAuth{Token: testToken}},
		{admin: "9307", says: "not host:port"},
		{admin: "0.0.0.0:9307", says: "not a loopback address"},
		{admin: ":9307", says: "not a loopback address"},
		{admin: "weir.example:9307", says: "give admin_auth.token"},
		{admin: "127.0.0.1:9307", auth: AdminAuth{Token: "short"}, says: "openssl rand"},
		{admin: "127.0.0.1:9307", auth: AdminAuth{User: "ops"}, says: "belong together"},
		{admin: "127.0.0.1:9307", auth: AdminAuth{Password: testPassword}, says: "belong together"},
		{admin: "127.0.0.1:9307", auth: AdminAuth{User: "ops", Password: "short"}, says: "shorter than 8"},
		{admin: "127.0.0.1:9307", tls: AdminTLS{CertFile: "a"}, says: "admin_tls.key_file"},
	} {
		err := (&Config{Admin: c.admin, AdminAuth: c.auth, AdminTLS: c.tls}).validateAdmin()
		if said := errorText(err); (c.says == "") != (err == nil) || !strings.Contains(said, c.says) || strings.Contains(said, testPassword) {
			t.Errorf("%s %+v: %q, want %q", c.admin, c.auth, said, c.says)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
