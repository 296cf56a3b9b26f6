package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// RedisSentinelOptions say what [StartRedisSentinel] starts.
type RedisSentinelOptions struct {
	Redis    RedisOptions // of each server; Port is taken for none
	Replicas int          // 1 if 0
	// Sentinels is how many watch; 3 if 0. More than half of them must be up for a failover.
	Sentinels int
	// Password is the sentinels' own; the servers' is in Redis.
	Password string
	// DownAfter is after how long a server that does not answer is taken for dead; 0 is half a second.
	DownAfter time.Duration
}

// RedisSentinel is a master with replicas, and sentinels, which make a replica the master when it dies.
type RedisSentinel struct {
	servers   []*Redis
	sentinels []*Redis
}

const (
	// masterName is what the sentinels call the master.
	masterName = "weir"
	// sentinelFile is the configuration of a sentinel, in its folder.
	sentinelFile = "sentinel.conf"
)

// StartRedisSentinel starts servers and sentinels, and returns once each sentinel knows all the others. ctx bounds the
// start only; they run until [RedisSentinel.Stop], or until this process ends.
func StartRedisSentinel(ctx context.Context, o RedisSentinelOptions) (*RedisSentinel, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	o = o.withDefaults()
	s := new(RedisSentinel)
	if err := s.start(ctx, o); err != nil {
		s.Stop()
		return nil, fmt.Errorf("start Redis with sentinels: %w", err)
	}
	return s, nil
}

func (o RedisSentinelOptions) withDefaults() RedisSentinelOptions {
	o.Redis.Port = 0
	o.Replicas = max(o.Replicas, 1)
	if o.Sentinels == 0 {
		o.Sentinels = 3
	}
	if o.DownAfter == 0 {
		o.DownAfter = 500 * time.Millisecond
	}
	return o
}

func (s *RedisSentinel) start(ctx context.Context, o RedisSentinelOptions) error {
	for i := range 1 + o.Replicas {
		r, err := StartRedis(ctx, o.Redis)
		if err != nil {
			return err
		}
		s.servers = append(s.servers, r)
		if i == 0 {
			continue
		}
		if err := r.MakeReplicaOf(ctx, s.servers[0]); err != nil {
			return err
		}
	}
	watch := RedisOptions{Password: o.Password, TLS: o.Redis.TLS, Log: o.Redis.Log, sentinel: o.file(s.servers[0].Port)}
	for range o.Sentinels {
		r, err := StartRedis(ctx, watch)
		if err != nil {
			return err
		}
		s.sentinels = append(s.sentinels, r)
		s.hurry(ctx, r)
	}
	return s.AwaitReady(ctx)
}

// file is what a sentinel is told. Half of them agreeing that the master is dead is enough to begin; that more than half
// choose who replaces it is a rule of their own.
func (o RedisSentinelOptions) file(port int) string {
	lines := []string{
		fmt.Sprintf("sentinel monitor %s 127.0.0.1 %d %d", masterName, port, (o.Sentinels+1)/2),
		fmt.Sprintf("sentinel down-after-milliseconds %s %d", masterName, o.DownAfter.Milliseconds()),
		fmt.Sprintf("sentinel failover-timeout %s %d", masterName, max(4*o.DownAfter, 2*time.Second).Milliseconds()),
	}
	if o.Redis.Password != "" {
		lines = append(lines, fmt.Sprintf("sentinel auth-pass %s %s", masterName, strconv.Quote(o.Redis.Password)))
	}
	if o.Password != "" {
		lines = append(lines, "sentinel sentinel-pass "+strconv.Quote(o.Password))
	}
	return strings.Join(lines, "\n") + "\n"
}

// hurry has a sentinel look more often than it would, so that a failover takes a second rather than ten. Those that do
// not know the command, before Redis 7, take their time.
func (s *RedisSentinel) hurry(ctx context.Context, r *Redis) {
	_, _ = r.Do(ctx, "SENTINEL", "DEBUG", "info-period", 500, "publish-period", 200)
}

// AwaitReady returns when each sentinel that is up knows a master that is alive, as many replicas that are as there are
// other servers, and all other sentinels.
func (s *RedisSentinel) AwaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var all errgroup.Group
	for _, r := range s.sentinels {
		if r.Pid() != 0 {
			all.Go(func() error { return s.awaitView(ctx, r) })
		}
	}
	return all.Wait()
}

func (s *RedisSentinel) awaitView(ctx context.Context, r *Redis) error {
	var master, replicas any
	err := poll(ctx, func() (bool, error) {
		var err error
		if master, err = r.briefly(ctx, "SENTINEL", "MASTER", masterName); err != nil {
			return false, nil //nolint:nilerr // it is asked again
		}
		if replicas, err = r.briefly(ctx, "SENTINEL", "REPLICAS", masterName); err != nil {
			return false, nil //nolint:nilerr // it is asked again
		}
		return s.isWhole(master, replicas), nil
	})
	if err != nil {
		return fmt.Errorf("wait until the sentinel %s knows all: %w; it knows the master %v, the replicas %v", r.Addr(), err, master, replicas)
	}
	return nil
}

func (s *RedisSentinel) isWhole(master, replicas any) bool {
	m := pairs(master)
	if m["flags"] != "master" || m["num-other-sentinels"] != strconv.Itoa(len(s.sentinels)-1) {
		return false
	}
	list, _ := replicas.([]any)
	for _, r := range list {
		if p := pairs(r); p["flags"] != "slave" || p["master-link-status"] != "ok" {
			return false
		}
	}
	return len(list) == len(s.servers)-1
}

// pairs reads a reply that is names and values by turns.
func pairs(reply any) map[string]string {
	list, _ := reply.([]any)
	m := map[string]string{}
	for i := 0; i+1 < len(list); i += 2 {
		m[fmt.Sprint(list[i])] = fmt.Sprint(list[i+1])
	}
	return m
}

// SentinelAddrs are the addresses of the sentinels.
func (s *RedisSentinel) SentinelAddrs() []string { return addrs(s.sentinels) }

// MasterName is what the sentinels call the master.
func (s *RedisSentinel) MasterName() string { return masterName }

// Node is the i-th server; the 0th was the master when all began.
func (s *RedisSentinel) Node(i int) *Redis { return s.servers[i] }

// Sentinel is the i-th sentinel.
func (s *RedisSentinel) Sentinel(i int) *Redis { return s.sentinels[i] }

// Master is the server that a sentinel names, whether it is up or not.
func (s *RedisSentinel) Master(ctx context.Context) (*Redis, error) {
	err := errNobodyAnswers
	for _, r := range s.sentinels {
		var reply any
		if reply, err = r.briefly(ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName); err == nil {
			return s.named(reply)
		}
	}
	return nil, fmt.Errorf("ask who is the master: %w", err)
}

var errNoServer = errors.New("the sentinels name a server that is not theirs")

func (s *RedisSentinel) named(reply any) (*Redis, error) {
	list, _ := reply.([]any)
	if len(list) != 2 {
		return nil, fmt.Errorf("%w: %v", errNoServer, reply)
	}
	addr := net.JoinHostPort(fmt.Sprint(list[0]), fmt.Sprint(list[1]))
	for _, r := range s.servers {
		if r.Addr() == addr {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%w: %s", errNoServer, addr)
}

// Stop ends sentinels and servers, as [Redis.Stop] does.
func (s *RedisSentinel) Stop() {
	stopAll(s.sentinels) // first, or they would begin to put things right
	stopAll(s.servers)
}

// LogTail is the end of all logs, for messages.
func (s *RedisSentinel) LogTail() string { return logTails(s.servers) + logTails(s.sentinels) }
