package sandbox

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// RedisOptions say what kind of Redis server [StartRedis] starts. The zero value is a server without a password.
type RedisOptions struct {
	Port      int         // on 127.0.0.1; 0 takes a free one
	Password  string      // of the account that is called default; empty is none
	Users     []RedisUser // further accounts
	TLS       *RedisTLS   // nil is plain TCP; else there is nothing but TLS
	MaxMemory int64       // in bytes, with eviction of any key (allkeys-lru) past it; 0 is no limit
	Debug     bool        // allow the command DEBUG, from Redis 7 on
	Extra     []string    // further words for the command line, as in "--cluster-enabled", "yes"
	Log       io.Writer

	// sentinel is the text of the configuration file, which a sentinel rewrites; empty is a server of data.
	sentinel string
}

// RedisUser is an account of a Redis server.
type RedisUser struct {
	Name, Password string
	// Rules are what it may do, in the server's words, as in "~weir:*", "+@read".
	Rules []string
}

// RedisTLS names files in PEM format.
type RedisTLS struct {
	Cert, Key, CA string
	// Clients says that clients must show a certificate that CA has signed.
	Clients bool
}

// redisArgs are the words of the command line after the program. A replica gets its start by way of a file, because a
// master that sends it directly goes on with what comes after only up to a second later.
func redisArgs(o RedisOptions, f *folder, port int) []string {
	var args []string
	if o.sentinel != "" {
		args = append(args, f.in(sentinelFile), "--sentinel")
	}
	args = append(args, "--bind", "127.0.0.1", "--dir", f.path, "--save", "", "--appendonly", "no", "--repl-diskless-sync", "no")
	args = append(args, portArgs(o.TLS, port)...)
	if o.Password != "" {
		args = append(args, "--requirepass", o.Password)
	}
	if o.Password != "" && o.sentinel == "" {
		args = append(args, "--masterauth", o.Password)
	}
	for _, u := range o.Users {
		args = append(append(args, "--user", u.Name, "on", ">"+u.Password), u.Rules...)
	}
	if o.MaxMemory > 0 {
		args = append(args, "--maxmemory", strconv.FormatInt(o.MaxMemory, 10), "--maxmemory-policy", "allkeys-lru")
	}
	if o.Debug {
		args = append(args, "--enable-debug-command", "local")
	}
	return append(args, o.Extra...)
}

func portArgs(t *RedisTLS, port int) []string {
	if t == nil {
		return []string{"--port", strconv.Itoa(port)}
	}
	clients := "no"
	if t.Clients {
		clients = "yes"
	}
	return []string{
		"--port", "0", "--tls-port", strconv.Itoa(port), "--tls-auth-clients", clients, "--tls-replication", "yes",
		"--tls-cert-file", t.Cert, "--tls-key-file", t.Key, "--tls-ca-cert-file", t.CA,
	}
}

// control returns a client for the sandbox's own commands. It dials when it has something to say, and tries once: the
// caller knows what state the server is in.
func control(o RedisOptions, port int) (*redis.Client, error) {
	options := &redis.Options{
		Addr: loopback(port), Password: o.Password, Protocol: 2, MaxRetries: -1, PoolSize: 2, DialerRetries: 1,
		ContextTimeoutEnabled: true, ReadTimeout: startTimeout, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if o.TLS != nil {
		c, err := o.TLS.client()
		if err != nil {
			return nil, err
		}
		options.TLSConfig = c
	}
	return redis.NewClient(options), nil
}

// client is for who has the server's own files: it shows the server's certificate, and trusts its authority whatever name
// the certificate is made out to.
func (t *RedisTLS) client() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of Redis: %w", err)
	}
	pem, err := os.ReadFile(t.CA)
	if err != nil {
		return nil, fmt.Errorf("read the authority of Redis: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", t.CA)
	}
	return &tls.Config{
		Certificates: []tls.Certificate{pair}, RootCAs: roots, MinVersion: tls.VersionTLS12,
		InsecureSkipVerify: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots})
			return err
		},
	}, nil
}
