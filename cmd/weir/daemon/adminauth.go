package daemon

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// adminGuard stands in front of all that the admin port answers. Two things it keeps out:
//
// Strangers. With admin_auth everybody has to show the token or the password, on the loopback interface, too, since other
// accounts of the machine reach that. What is wrong is answered late, see [penalties].
//
// Other sites, in the browser of somebody who may look. A page from elsewhere cannot read what it has no permission for, and
// there is none; but it can have its own name resolve to 127.0.0.1, and then the browser takes Weir for a part of that site
// (DNS rebinding). So without admin_auth only names are answered that nobody else can own. With it there is no need: a
// browser has no password of Weir's for the other name. And what another page merely embeds is refused, since it would
// take a place among those who listen to events.
//
// Health is open, for probes that have no password, and then is one word.
type adminGuard struct {
	auth      AdminAuth
	host      string // of the configuration
	next      http.Handler
	health    func() (word string, well bool)
	penalties *penalties
}

// requestTime bounds how long an answer may take to be sent. A stream of events has times of its own.
const requestTime = 30 * time.Second

// ServeHTTP implements [http.Handler].
func (g *adminGuard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(requestTime)) // recorders in tests have none
	switch {
	case !g.auth.enabled() && !g.ours(r.Host):
		http.Error(w, "Weir answers only to localhost and loopback addresses, so that other sites cannot pose as it; open it by the address of admin, or set admin_auth", http.StatusMisdirectedRequest)
	case embedded(r):
		http.Error(w, "Weir does not answer to pages of other sites; open it in a tab of its own", http.StatusForbidden)
	case !g.auth.enabled():
		g.next.ServeHTTP(w, r)
	default:
		g.ask(w, r)
	}
}

// ask lets in who shows the token or the password.
func (g *adminGuard) ask(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") == "" {
		if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
			g.word(w, r)
			return
		}
		refuse(w)
		return
	}
	switch g.penalties.try(peer(r), func() bool { return g.auth.accepts(r) }) {
	case accepted:
		g.next.ServeHTTP(w, r)
	case wrong:
		g.penalties.serve(r.Context(), peer(r))
		refuse(w)
	case unheard:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many wrong tokens or passwords came from your address; try again in a second", http.StatusTooManyRequests)
	}
}

// ours reports whether the name by which somebody asked can be nobody else's. HTTP/1.0 has no name, nor have browsers that.
func (g *adminGuard) ours(name string) bool {
	host, _, err := net.SplitHostPort(name)
	if err != nil {
		host = strings.Trim(name, "[]")
	}
	host = strings.ToLower(host)
	return host == "" || host == strings.ToLower(g.host) || loopback(host)
}

// embedded reports whether a browser asks for a page of another site, and not because somebody has followed a link.
func embedded(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && (r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document")
}

// word says no more than whether it is well.
func (g *adminGuard) word(w http.ResponseWriter, r *http.Request) {
	word, well := "ok", true
	if r.URL.Path == "/readyz" {
		word, well = g.health()
	}
	if !well {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	fmt.Fprintln(w, word)
}

// refuse asks for a password, so that a browser asks its user.
func refuse(w http.ResponseWriter) {
	w.Header().Add("WWW-Authenticate", `Basic realm="Weir", charset="UTF-8"`)
	w.Header().Add("WWW-Authenticate", `Bearer realm="Weir"`)
	http.Error(w, "Weir asks for the token or the password of admin_auth", http.StatusUnauthorized)
}

// accepts: whoever has only a token may give it as a password, so that a browser can ask for it. How long the comparison takes
// tells nothing of what is compared, not even its length.
func (a *AdminAuth) accepts(r *http.Request) bool {
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return same(strings.TrimSpace(token), string(a.Token))
	}
	user, password, _ := r.BasicAuth()
	person := same(user, a.User)
	return same(password, string(a.Password)) && person || same(password, string(a.Token))
}

// same is never true of an empty text, which is what is not configured.
func same(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && want != ""
}

func peer(r *http.Request) netip.Addr {
	at, _ := netip.ParseAddrPort(r.RemoteAddr)
	return at.Addr().Unmap()
}

// guard puts the guard in front of mux.
func (d *Daemon) guard(mux http.Handler, health func() (string, bool)) http.Handler {
	host, _, _ := net.SplitHostPort(d.cfg.Admin)
	return &adminGuard{auth: d.cfg.AdminAuth, host: host, next: mux, health: health, penalties: newPenalties(d.log)}
}

// warnPlain says what is not wrong, and not wise.
func (d *Daemon) warnPlain() {
	host, _, _ := net.SplitHostPort(d.cfg.Admin)
	if !loopback(host) && d.cfg.AdminTLS.CertFile == "" {
		d.log.LogAttrs(context.Background(), slog.LevelWarn, "the admin port is reached from other machines without TLS, so that its token and password can be overheard; set admin_tls, or put a proxy with TLS in front",
			slog.String("admin", d.cfg.Admin))
	}
}
