package check

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"weir/cmd/weir/daemon"
)

// lookAtPorts binds each for a moment.
func lookAtPorts(ctx context.Context, cfg daemon.Config) []Port {
	ports := []Port{{Key: "listen", Addr: cfg.Listen}, {Key: "admin", Addr: cfg.Admin}}
	for i := range ports {
		ports[i].look(ctx)
	}
	if weirAt(ctx, cfg.AdminURL(cfg.Admin)) {
		for i := range ports {
			ports[i].Weir = ports[i].Taken
		}
	}
	return ports
}

func (p *Port) look(ctx context.Context) {
	network := "tcp"
	if strings.HasPrefix(p.Addr, "/") {
		network = "unix"
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, network, p.Addr)
	switch {
	case err == nil:
		l.Close()
	case errors.Is(err, syscall.EADDRINUSE):
		p.Taken = true
	default:
		p.Err = err
	}
}

// weirAt reports whether a Weir's metrics are there. Nothing secret is said to whoever answers, so that its certificate does not
// matter.
func weirAt(ctx context.Context, admin string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, admin+"/metrics", nil)
	if err != nil {
		return false
	}
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
	}}
	answer, err := client.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<20))
	asks := strings.ToLower(answer.Header.Get("WWW-Authenticate")) // of one that wants a password for its metrics
	return strings.Contains(string(body), "# HELP weir_") || strings.Contains(asks, "weir")
}
