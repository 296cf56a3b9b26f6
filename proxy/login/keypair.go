package login

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1" // the protocol's padding is OAEP with SHA-1, which is not broken there
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"
)

// keyBits is the size of the servers' own generated keys.
const keyBits = 2048

// KeyPair lets clients without TLS send their password so that only this process can read it. It lives in memory: a
// client that keeps a public key in a file should use TLS.
type KeyPair struct {
	private *rsa.PrivateKey
	public  []byte // in PEM, as clients get it
}

// NewKeyPair makes a key pair, which takes a moment.
func NewKeyPair() (*KeyPair, error) {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, fmt.Errorf("make a key pair for logins without TLS: %w", err)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("encode the public key for logins without TLS: %w", err)
	}
	return &KeyPair{private: private, public: pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})}, nil
}

// Certificate makes a certificate of the pair that nobody has signed, as servers do that have none: it keeps listeners
// out, and says nothing about whose it is.
func (k *KeyPair) Certificate() (tls.Certificate, error) {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Weir, made at its start"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &k.private.PublicKey, k.private)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: k.private}, nil
}

// password reads what a client has made of its password and the scramble: both XORed, and encrypted. Whatever is wrong
// with it, it is not ok; which part of it failed must not be seen.
func (k *KeyPair) password(sent, scramble []byte) (string, bool) {
	if k == nil {
		return "", false
	}
	plain, err := rsa.DecryptOAEP(sha1.New(), nil, k.private, sent, nil)
	if err != nil {
		return "", false
	}
	for i := range plain {
		plain[i] ^= scramble[i%len(scramble)]
	}
	return passwordInClear(plain)
}

// passwordInClear takes off the zero that ends a password in clear; it is not ok without.
func passwordInClear(sent []byte) (string, bool) {
	if len(sent) == 0 || sent[len(sent)-1] != 0 {
		return "", false
	}
	return string(sent[:len(sent)-1]), true
}
