package daemon

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs certificates, and keeps them in files.
type authority struct {
	t           *testing.T
	certificate *x509.Certificate
	key         crypto.Signer
	dir         string
	file        string // its own certificate
	serial      int64
}

// pair are the files of a certificate.
type pair struct{ cert, key string }

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	if err := os.Chmod(a.dir, 0o755); err != nil { // servers that run as another user read it
		t.Fatal(err)
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, key := a.sign(template, nil, nil)
	certificate, err := x509.ParseCertificate(der)
	a.must(err)
	a.certificate, a.key = certificate, key
	a.file = a.write("ca.pem", "CERTIFICATE", der)
	return a
}

func (a *authority) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *authority) sign(template, parent *x509.Certificate, signer crypto.Signer) ([]byte, crypto.Signer) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	a.must(err)
	a.serial++
	template.SerialNumber = big.NewInt(a.serial)
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	a.must(err)
	return der, key
}

// issue makes a certificate for a host.
func (a *authority) issue(name, host string) pair {
	a.t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, key := a.sign(template, a.certificate, a.key)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	a.must(err)
	return pair{a.write(name+".pem", "CERTIFICATE", der), a.write(name+"-key.pem", "PRIVATE KEY", private)}
}

func (a *authority) write(name, kind string, der []byte) string {
	a.t.Helper()
	path := filepath.Join(a.dir, name)
	a.must(os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o644))
	return path
}

// pool trusts the authority.
func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.certificate)
	return p
}
