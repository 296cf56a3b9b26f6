package daemon

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
)

// AdminAuth is the section of that name: who may look at the admin port.
type AdminAuth struct {
	// Token is for programs, which send it as a bearer token. Browsers send it as a password.
	Token     Secret `yaml:"token"`
	TokenFile string `yaml:"token_file"`
	// User and Password are for people.
	User         string `yaml:"user"`
	Password     Secret `yaml:"password"`
	PasswordFile string `yaml:"password_file"`
}

// AdminTLS is the section of that name: the certificate of the admin port, which is then asked over HTTPS.
type AdminTLS struct {
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
}

func (a *AdminAuth) complete() error {
	if err := readSecret("admin_auth.token", &a.Token, &a.TokenFile); err != nil {
		return err
	}
	return readPassword("admin_auth", &a.Password, &a.PasswordFile)
}

// enabled says that somebody has to show who they are.
func (a *AdminAuth) enabled() bool { return a.Token != "" || a.User != "" }

// Whoever can reach the port may try as often as it answers, so that what can be guessed is no protection.
const (
	minToken    = 16
	minPassword = 8
)

func (a *AdminAuth) validate() error {
	switch {
	case a.Token != "" && len(a.Token) < minToken:
		return fmt.Errorf("admin_auth.token is shorter than %d characters, and could be guessed; make one with: openssl rand -hex 32", minToken)
	case (a.User == "") != (a.Password == ""):
		return errors.New("admin_auth.user and admin_auth.password belong together; give both, or admin_auth.token alone")
	case a.Password != "" && len(a.Password) < minPassword:
		return fmt.Errorf("admin_auth.password is shorter than %d characters, and could be guessed; take a longer one", minPassword)
	}
	return nil
}

func (t AdminTLS) validate() error {
	if (t.CertFile == "") != (t.KeyFile == "") {
		return errors.New("admin_tls.cert_file and admin_tls.key_file belong together; give both, or none for plain HTTP")
	}
	return nil
}

// load reads the files; it is nil if there are none.
func (t AdminTLS) load() (*tls.Certificate, error) {
	if t.CertFile == "" {
		return nil, nil
	}
	certificate, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("admin_tls.cert_file %s, admin_tls.key_file %s: %w", t.CertFile, t.KeyFile, err)
	}
	return &certificate, nil
}

// validateAdmin: the port shows everything, so whoever reaches it from another machine has to show who they are.
func (c *Config) validateAdmin() error {
	host, _, err := net.SplitHostPort(c.Admin)
	if err != nil {
		return fmt.Errorf("admin %q is not host:port", c.Admin)
	}
	if err := errors.Join(c.AdminAuth.validate(), c.AdminTLS.validate()); err != nil {
		return err
	}
	if !loopback(host) && !c.AdminAuth.enabled() {
		return fmt.Errorf("admin %q is not a loopback address, and anybody who reaches it could look; give admin_auth.token, or admin_auth.user and admin_auth.password, or use 127.0.0.1", c.Admin)
	}
	return nil
}

// loopback reports whether only this machine reaches the host. Names other than localhost may become another address.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
