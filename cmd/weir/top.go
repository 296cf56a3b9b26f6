package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"weir/cmd/weir/daemon"
	"weir/cmd/weir/top"
)

type topCommand struct {
	Config   string        `help:"The configuration file of the Weir to watch: its admin, admin_auth and admin_tls." placeholder:"FILE"`
	Admin    string        `help:"Its admin port, in place of a file." placeholder:"URL"`
	Token    string        `help:"The token of its admin_auth." placeholder:"TOKEN" env:"WEIR_ADMIN_TOKEN"`
	User     string        `help:"The user of its admin_auth." placeholder:"NAME"`
	Password string        `help:"The password of its admin_auth." placeholder:"PASSWORD" env:"WEIR_ADMIN_PASSWORD"`
	CA       string        `name:"ca" help:"The authority that has signed its certificate, in PEM; with --config, also its certificate itself." placeholder:"FILE"`
	Interval time.Duration `help:"How long it rests between two looks." default:"1s"`
	Once     bool          `help:"Print the figures once, as plain text."`
}

// Help is what --help adds.
func (*topCommand) Help() string {
	return `Examples:

    weir top
    weir top --config /etc/weir/weir.yaml
    weir top --admin https://weir.example:9307 --token "$TOKEN" --ca ca.pem
    weir top --once | head -12

Keys: tab and 1 to 5 for the views, s to sort, space to hold the figures, ? for all of them, q to leave. NO_COLOR=1 leaves
out colours. Exits with 1 if --once finds no Weir. weir help top says what the figures mean.`
}

// Run shows the screen.
func (c *topCommand) Run(ctx context.Context) error {
	from, err := c.source()
	if err != nil {
		return err
	}
	if c.Once || !isTerminal(os.Stdout) {
		text, err := top.Once(ctx, from, width())
		fmt.Print(text)
		return err
	}
	return top.Run(ctx, from, max(c.Interval, 100*time.Millisecond))
}

// width is that of the terminal, or what a mail or a file takes.
func width() int {
	if w, _, err := term.GetSize(os.Stdout.Fd()); err == nil && w > 0 {
		return w
	}
	return 100
}

// source is where the Weir is that flags and file name; flags win.
func (c *topCommand) source() (from top.Source, err error) {
	if c.Config != "" && c.Admin != "" {
		return from, errors.New("--config and --admin are both given; leave one out")
	}
	cfg := daemon.Default()
	if c.Config != "" {
		if cfg, err = daemon.Load(c.Config); err != nil {
			return from, err
		}
		if err := cfg.Validate(); err != nil {
			return from, err
		}
	}
	from = top.Source{
		URL: c.url(cfg), Token: cmp.Or(c.Token, string(cfg.AdminAuth.Token)),
		User: cmp.Or(c.User, cfg.AdminAuth.User), Password: cmp.Or(c.Password, string(cfg.AdminAuth.Password)),
	}
	from.Client, err = c.client(cfg)
	return from, err
}

func (c *topCommand) url(cfg daemon.Config) string {
	if c.Admin != "" {
		if !strings.Contains(c.Admin, "://") {
			return "http://" + c.Admin
		}
		return c.Admin
	}
	host, port, err := net.SplitHostPort(cfg.Admin)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return cfg.AdminURL(net.JoinHostPort("localhost", port))
	}
	return cfg.AdminURL(cfg.Admin)
}

// client trusts the system's authorities, that of --ca, and, by the file of the very Weir that is asked, its certificate.
func (c *topCommand) client(cfg daemon.Config) (*http.Client, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, file := range [...]string{c.CA, cfg.AdminTLS.CertFile} {
		if file == "" {
			continue
		}
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the certificate: %w", err)
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate in PEM", file)
		}
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}, nil
}
