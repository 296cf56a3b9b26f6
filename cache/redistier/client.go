package redistier

import (
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// connectTimeout bounds the connection to a server and TLS on it. Nobody waits for it: a lookup that finds no
	// connection gives up when its budget ends, and the connection is there for the next.
	connectTimeout = time.Second
	// clientTimeout bounds a command under a context without a deadline.
	clientTimeout = 2 * time.Second
	// poolSize is for the lookups and the writers, see maxPipelines and writers, for the prober and for notes.
	poolSize = 16
)

// NewClient returns a client for what cfg names: one server, a Cluster, or the master that Sentinels tell of. It connects when
// it is first used, and is the caller's to close.
//
// Deadlines of contexts hold for whatever is read or written. A command is tried once more if its connection broke, at
// once: pauses would cost more than the budget. RESP 2 is what every server and every proxy before one speaks, and asks for no
// privilege but those of the commands.
func NewClient(cfg Config) redis.UniversalClient {
	return redis.NewUniversalClient(&redis.UniversalOptions{
		Addrs: cfg.Addrs, IsClusterMode: cfg.clustered(), MasterName: cfg.MasterName,
		Username: cfg.Username, Password: cfg.Password,
		SentinelUsername: cfg.SentinelUsername, SentinelPassword: cfg.SentinelPassword,
		DB: cfg.DB, TLSConfig: cfg.TLS,
		Protocol: 2, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		ContextTimeoutEnabled:    true,
		MaxRetries:               1, MinRetryBackoff: -1, MaxRetryBackoff: -1,
		DialTimeout: connectTimeout, DialerRetries: 1, DialerRetryTimeout: time.Millisecond,
		ReadTimeout: clientTimeout, WriteTimeout: clientTimeout,
		PoolSize: poolSize, PoolTimeout: clientTimeout, PipelinePoolSize: -1,
	})
}
