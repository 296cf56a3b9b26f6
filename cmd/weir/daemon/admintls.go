package daemon

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
)

// adminTLS has the certificate of the admin port. It is nil inside if there is none, and the port speaks plain HTTP.
type adminTLS struct {
	current *atomic.Pointer[tls.Certificate]
}

func (a adminTLS) config() *tls.Config {
	if a.current == nil {
		return nil
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return a.current.Load(), nil },
	}
}

func (a adminTLS) serve(srv *http.Server, on net.Listener) error {
	if a.current == nil {
		return srv.Serve(on)
	}
	return srv.ServeTLS(on, "", "")
}

// listenAdmin reads the certificate and binds the port, so that what is wrong with either is found at the start.
func (d *Daemon) listenAdmin() (net.Listener, error) {
	certificate, err := d.cfg.AdminTLS.load()
	if err != nil {
		return nil, err
	}
	if certificate != nil {
		d.adminTLS.current = &atomic.Pointer[tls.Certificate]{}
		d.adminTLS.current.Store(certificate)
	}
	return listen("admin", d.cfg.Admin)
}

// AdminURL is where the status page is for somebody on this machine, without the slash at its end.
func (d *Daemon) AdminURL() string {
	addr := d.AdminAddr()
	if host, port, err := net.SplitHostPort(addr); err == nil && net.ParseIP(host).IsUnspecified() {
		addr = net.JoinHostPort("127.0.0.1", port)
	}
	return d.cfg.AdminURL(addr)
}

// AdminURL is that of an admin port at addr: by admin_tls it is asked over HTTPS or HTTP. It has no slash at its end.
func (c *Config) AdminURL(addr string) string {
	if c.AdminTLS.CertFile != "" {
		return "https://" + addr
	}
	return "http://" + addr
}

// Caching is the query_cache_type that sessions begin with.
func (d *Daemon) Caching() string { return d.cacheType() }

// reloadAdmin reads the certificate of the admin port again. One that cannot be used changes nothing.
func (d *Daemon) reloadAdmin() {
	if d.adminTLS.current == nil {
		return
	}
	certificate, err := d.cfg.AdminTLS.load()
	if err != nil {
		d.log.Error("cannot reload the certificate of the admin port; the one before stays in use", "error", err)
		return
	}
	d.adminTLS.current.Store(certificate)
}
