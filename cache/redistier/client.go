package redistier

import (
	"context"
	"fmt"
	"log/slog"
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
	// mapEvery is how old the map of a Cluster's slots may become. The library looks at it again by itself when a server says
	// that a slot is elsewhere, but not when a server has died and says nothing.
	mapEvery = 2 * time.Second
	// poolSize is for the lookups and the writers, see maxPipelines and writers, for the prober and for notes.
	poolSize = 16
)

// NewClient returns a client for what cfg names: one server, a Cluster, or the master that Sentinels tell of. It connects when
// it is first used, and is the caller's to close.
//
// Deadlines of contexts hold for whatever is read or written. A command is tried once more if its connection broke, at
// once: pauses would cost more than the budget. RESP 2 is what every server and every proxy before one speaks, and asks for no
// privilege but those of the commands.
//
// In a Cluster the library would look each single command up among those that it has asked a random node for, with a
// timeout of five seconds and under a lock, whatever the context says; routing policies are all that this is for.
func NewClient(cfg Config) redis.UniversalClient {
	o := options(cfg)
	if !cfg.clustered() {
		return redis.NewUniversalClient(o)
	}
	cluster := o.Cluster()
	cluster.DisableRoutingPolicies = true
	cluster.ClusterStateReloadInterval = mapEvery
	return redis.NewClusterClient(cluster)
}

func options(cfg Config) *redis.UniversalOptions {
	return &redis.UniversalOptions{
		Addrs: cfg.Addrs, MasterName: cfg.MasterName,
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
	}
}

// LogTo has what the client library says go to log, at level debug, rather than to standard error. It says each connection that
// fails, many times a second while a server is down. The library has one log for the whole process: call it once, before
// there are clients.
func LogTo(log *slog.Logger) { redis.SetLogger(libraryLog{log}) }

type libraryLog struct{ log *slog.Logger }

// Printf implements the library's logger.
func (l libraryLog) Printf(ctx context.Context, format string, v ...any) {
	l.log.DebugContext(ctx, "Redis client", "says", fmt.Sprintf(format, v...))
}
