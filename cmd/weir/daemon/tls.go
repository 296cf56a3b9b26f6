package daemon

import (
	"crypto/tls"
	"errors"
	"fmt"
)

// TLS is the section of that name: what clients may, or have to, use.
type TLS struct {
	Mode     string `yaml:"mode"`
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
	// ClientCAFile makes clients that use TLS show a certificate that one of these has signed.
	ClientCAFile string `yaml:"client_ca_file"`
}

// The modes towards clients.
const (
	tlsOptional = "optional"
	tlsRequired = "required"
)

func (t TLS) validate() error {
	switch {
	case t.Mode != tlsOptional && t.Mode != tlsRequired:
		return fmt.Errorf("tls.mode is %q; it must be optional or required", t.Mode)
	case (t.CertFile == "") != (t.KeyFile == ""):
		return errors.New("tls.cert_file and tls.key_file belong together; give both, or none for no TLS")
	case t.CertFile == "" && t.Mode == tlsRequired:
		return errors.New("tls.mode is required, and there is no tls.cert_file and tls.key_file")
	case t.CertFile == "" && t.ClientCAFile != "":
		return errors.New("tls.client_ca_file is of no use without tls.cert_file and tls.key_file")
	}
	return nil
}

// config reads the files; it is nil if there are none.
func (t TLS) config() (*tls.Config, error) {
	if t.CertFile == "" {
		return nil, nil
	}
	certificate, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("tls.cert_file %s, tls.key_file %s: %w", t.CertFile, t.KeyFile, err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	if t.ClientCAFile == "" {
		return config, nil
	}
	config.ClientAuth = tls.RequireAndVerifyClientCert
	config.ClientCAs, err = readCAs("tls.client_ca_file", t.ClientCAFile)
	return config, err
}

// Reload reads the certificates for clients again. Clients that are there keep theirs. A certificate that cannot be used
// changes nothing.
func (d *Daemon) Reload() {
	d.reloadAdmin()
	config, err := d.cfg.TLS.config()
	switch {
	case err != nil:
		d.log.Error("cannot reload the certificate; the one before stays in use", "error", err)
		return
	case config == nil:
		d.log.Info("there is no certificate to reload")
		return
	}
	d.proxy.SetTLS(config)
	d.log.Info("certificate reloaded", "cert_file", d.cfg.TLS.CertFile)
}
