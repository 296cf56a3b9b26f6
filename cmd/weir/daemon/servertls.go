package daemon

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"

	"weir/proxy/login"
	"weir/replicator"
)

// ServerTLS is the section tls of source and of an item of backends. Its modes are those of the servers' own clients.
type ServerTLS struct {
	Mode     string `yaml:"mode"`
	CAFile   string `yaml:"ca_file"`
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
}

// The modes towards servers. tlsRequired is one, too.
const (
	tlsDisabled       = "disabled"
	tlsPreferred      = "preferred"
	tlsVerifyCA       = "verify_ca"
	tlsVerifyIdentity = "verify_identity"
)

func (t ServerTLS) validate(section string) error {
	switch t.Mode {
	case tlsDisabled, tlsPreferred, tlsRequired, tlsVerifyIdentity:
	case tlsVerifyCA:
		if t.CAFile == "" {
			return fmt.Errorf("%s.mode is verify_ca, and there is no %s.ca_file; give the file with the authorities, or use verify_identity, which can do with the system's", section, section)
		}
	default:
		return fmt.Errorf("%s.mode is %q; it must be disabled, preferred, required, verify_ca or verify_identity", section, t.Mode)
	}
	switch {
	case (t.CertFile == "") != (t.KeyFile == ""):
		return fmt.Errorf("%s.cert_file and %s.key_file belong together; give both, or none", section, section)
	case t.CAFile != "" && t.Mode != tlsVerifyCA && t.Mode != tlsVerifyIdentity:
		return fmt.Errorf("%s.ca_file is not looked at under mode %s; use verify_ca or verify_identity", section, t.Mode)
	}
	return nil
}

// config reads the files; it is nil if TLS is not used.
func (t ServerTLS) config(section, addr string) (*tls.Config, error) {
	if t.Mode == tlsDisabled {
		return nil, nil
	}
	config := &tls.Config{ServerName: hostOf(addr), MinVersion: tls.VersionTLS12}
	if err := t.show(section, config); err != nil {
		return nil, err
	}
	if t.CAFile != "" {
		roots, err := readCAs(section+".ca_file", t.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = roots
	}
	if t.Mode != tlsVerifyIdentity {
		config.InsecureSkipVerify = true // the mode says so; verify_ca looks at all but the name
	}
	if t.Mode == tlsVerifyCA {
		config.VerifyConnection = verifyChain(config.RootCAs)
	}
	return config, nil
}

func (t ServerTLS) show(section string, config *tls.Config) error {
	if t.CertFile == "" {
		return nil
	}
	certificate, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return fmt.Errorf("%s.cert_file %s, %s.key_file %s: %w", section, t.CertFile, section, t.KeyFile, err)
	}
	config.Certificates = []tls.Certificate{certificate}
	return nil
}

// verifyChain checks who has signed the certificate, and not for which name.
func verifyChain(roots *x509.CertPool) func(tls.ConnectionState) error {
	return func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return errors.New("the server shows no certificate")
		}
		between := x509.NewCertPool()
		for _, c := range state.PeerCertificates[1:] {
			between.AddCert(c)
		}
		_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
		if err != nil {
			return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: err}
		}
		return nil
	}
}

func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

func readCAs(key, path string) (*x509.CertPool, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(b) {
		return nil, fmt.Errorf("%s: %s has no certificate in PEM", key, path)
	}
	return pool, nil
}

func (c *Config) validateTLS() error {
	if err := c.TLS.validate(); err != nil {
		return err
	}
	if err := c.Source.TLS.validate("source.tls"); err != nil {
		return err
	}
	for i, b := range c.Backends {
		if b.TLS == nil {
			continue
		}
		if err := b.TLS.validate(fmt.Sprintf("backends[%d].tls", i)); err != nil {
			return err
		}
	}
	return nil
}

// serverTLS has what to use towards each server, by its address.
type serverTLS map[string]login.ServerTLS

func newServerTLS(cfg Config) (serverTLS, error) {
	all := serverTLS{}
	for i, b := range cfg.Backends {
		section, of := "source.tls", cfg.Source.TLS
		if b.TLS != nil {
			section, of = fmt.Sprintf("backends[%d].tls", i), *b.TLS
		}
		if err := all.add(section, b.Addr, of); err != nil {
			return nil, err
		}
	}
	for _, addr := range cfg.sources() {
		if err := all.add("source.tls", addr, cfg.Source.TLS); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s serverTLS) add(section, addr string, of ServerTLS) error {
	config, err := of.config(section, addr)
	s[addr] = login.ServerTLS{Config: config, Optional: of.Mode == tlsPreferred}
	return err
}

func (s serverTLS) login(addr string) login.ServerTLS { return s[addr] }

func (s serverTLS) replicator(addr string) replicator.TLS {
	return replicator.TLS{Config: s[addr].Config, Optional: s[addr].Optional}
}

// replicator is the configuration of what follows the source.
func (d *Daemon) replicator() replicator.Config {
	cfg := d.cfg.replicator()
	cfg.Candidates, cfg.Addr = d.candidates, d.sourceAddr()
	cfg.TLS = d.tls.replicator(cfg.Addr)
	return cfg
}
