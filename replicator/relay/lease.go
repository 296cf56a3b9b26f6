package relay

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// lease keeps all relays but one from reading the binlog. It is a courtesy: Redis may lose it, a relay may sleep through its
// end, and two may hold it at one time. Then the ids of entries decide, see [Publisher.Send].
type lease struct {
	cfg   Config
	redis redis.UniversalClient
	owner string
}

// renewed extends the lease if it is the owner's, and takes it if it is nobody's.
var renewed = redis.NewScript(`
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

var released = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`)

// hold takes or renews the lease. It is false if another relay has it.
func (l *lease) hold(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Lease)
	defer cancel()
	got, err := renewed.Run(ctx, l.redis, []string{l.cfg.lease()}, l.owner, l.cfg.Lease.Milliseconds()).Int()
	if err != nil {
		return false, fmt.Errorf("take the relay's lease in Redis: %w", err)
	}
	return got == 1, nil
}

// give gives the lease back, if it is the owner's.
func (l *lease) give(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Lease)
	defer cancel()
	_ = released.Run(ctx, l.redis, []string{l.cfg.lease()}, l.owner).Err() // it ends by itself
}

// keep renews the lease until ctx ends, and returns when another relay has it. While Redis is away nobody can take it.
func (l *lease) keep(ctx context.Context) {
	for ctx.Err() == nil {
		sleep(ctx, l.cfg.Lease/3)
		if held, err := l.hold(ctx); err == nil && !held {
			return
		}
	}
}
