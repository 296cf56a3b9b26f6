package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// RedisClusterOptions say what kind of Redis Cluster [StartRedisCluster] starts.
type RedisClusterOptions struct {
	Redis    RedisOptions // of each node; Port is taken for none
	Masters  int          // 3 if 0, and never fewer
	Replicas int          // of each master
	// NodeTimeout is after how long a node that does not answer is taken for dead; 0 is a second. A replica then needs
	// about another one to take its master's place.
	NodeTimeout time.Duration
}

// RedisCluster is a Redis Cluster, which needs Redis 7 or Valkey: Masters nodes that share all slots alike, and after these
// the first one's replicas, the second one's, and so on. Slots move only when they are told to.
type RedisCluster struct {
	nodes []*Redis
	buses []*reservation
}

// slots is how many there are in every cluster.
const slots = 16384

// StartRedisCluster starts a cluster and returns once each of its nodes says that it is complete. ctx bounds the start
// only; the servers run until [RedisCluster.Stop], or until this process ends.
func StartRedisCluster(ctx context.Context, o RedisClusterOptions) (*RedisCluster, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	o.Masters = max(o.Masters, 3)
	if o.NodeTimeout == 0 {
		o.NodeTimeout = time.Second
	}
	c := new(RedisCluster)
	if err := c.start(ctx, o); err != nil {
		c.Stop()
		return nil, fmt.Errorf("start Redis Cluster: %w", err)
	}
	return c, nil
}

func (c *RedisCluster) start(ctx context.Context, o RedisClusterOptions) error {
	for range o.Masters * (1 + o.Replicas) {
		if err := c.add(ctx, o); err != nil {
			return err
		}
	}
	if err := c.share(ctx, c.nodes[:o.Masters]); err != nil {
		return err
	}
	if err := c.meet(ctx); err != nil {
		return err
	}
	if err := c.follow(ctx, o); err != nil {
		return err
	}
	return c.AwaitReady(ctx)
}

// add starts one node. What the nodes say to each other goes over a port of its own, because the one that they would
// choose may be among those which systems hand out.
func (c *RedisCluster) add(ctx context.Context, o RedisClusterOptions) error {
	bus, err := reserve(0)
	if err != nil {
		return err
	}
	c.buses = append(c.buses, bus)
	r := o.Redis
	r.Port = 0
	r.Extra = append([]string{
		"--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1", "--cluster-port", strconv.Itoa(bus.port),
		"--cluster-node-timeout", strconv.FormatInt(o.NodeTimeout.Milliseconds(), 10), "--cluster-allow-replica-migration", "no",
		"--cluster-replica-validity-factor", "0",
	}, r.Extra...)
	if r.TLS != nil {
		r.Extra = append(r.Extra, "--tls-cluster", "yes")
	}
	node, err := StartRedis(ctx, r)
	if err != nil {
		return err
	}
	c.nodes = append(c.nodes, node)
	return nil
}

// share gives all slots to the masters, each of which gets an epoch of its own, so that no two ever claim the same.
func (c *RedisCluster) share(ctx context.Context, masters []*Redis) error {
	for i, r := range masters {
		first, last := slots*i/len(masters), slots*(i+1)/len(masters)-1
		if _, err := r.Do(ctx, "CLUSTER", "ADDSLOTSRANGE", first, last); err != nil {
			return err
		}
		if _, err := r.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1); err != nil {
			return err
		}
	}
	return nil
}

// meet introduces all nodes to the first one, and returns when each knows all: word of the others gets around.
func (c *RedisCluster) meet(ctx context.Context) error {
	for i, r := range c.nodes[1:] {
		if _, err := c.nodes[0].Do(ctx, "CLUSTER", "MEET", "127.0.0.1", r.Port, c.buses[i+1].port); err != nil {
			return err
		}
	}
	return c.await(ctx, c.nodes, "cluster_known_nodes:"+strconv.Itoa(len(c.nodes)))
}

// follow makes the nodes after the masters their replicas.
func (c *RedisCluster) follow(ctx context.Context, o RedisClusterOptions) error {
	var all errgroup.Group
	for i, r := range c.nodes[o.Masters:] {
		master := c.nodes[i/o.Replicas]
		all.Go(func() error {
			id, err := master.Do(ctx, "CLUSTER", "MYID")
			if err != nil {
				return err
			}
			if _, err := r.Do(ctx, "CLUSTER", "REPLICATE", id); err != nil {
				return err
			}
			return r.awaitLink(ctx)
		})
	}
	return all.Wait()
}

// AwaitFailover returns when no node that is up thinks that the i-th one has slots, and all slots are served.
func (c *RedisCluster) AwaitFailover(ctx context.Context, i int) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for _, r := range c.up() {
		if err := poll(ctx, func() (bool, error) { return r.isRidOf(ctx, c.nodes[i]), nil }); err != nil {
			return fmt.Errorf("wait until %s has lost its slots in the eyes of %s: %w", c.nodes[i].Addr(), r.Addr(), err)
		}
	}
	return c.AwaitReady(ctx)
}

// AwaitReady returns when each node that is up says that all slots are served.
func (c *RedisCluster) AwaitReady(ctx context.Context) error {
	return c.await(ctx, c.up(), "cluster_state:ok", "cluster_slots_assigned:"+strconv.Itoa(slots), "cluster_slots_fail:0")
}

// await returns when each of the nodes says all of the lines.
func (c *RedisCluster) await(ctx context.Context, nodes []*Redis, lines ...string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for _, r := range nodes {
		var text string
		err := poll(ctx, func() (bool, error) {
			info, err := r.briefly(ctx, "CLUSTER", "INFO")
			text, _ = info.(string)
			return err == nil && says(text, lines), nil
		})
		if err != nil {
			return fmt.Errorf("wait until the node %s says %v: %w; it says:\n%s", r.Addr(), lines, err, text)
		}
	}
	return nil
}

func says(text string, lines []string) bool {
	for _, line := range lines {
		if !strings.Contains(text, line+"\r\n") {
			return false
		}
	}
	return true
}

// up lists the nodes that run.
func (c *RedisCluster) up() (nodes []*Redis) {
	for _, r := range c.nodes {
		if r.Pid() != 0 {
			nodes = append(nodes, r)
		}
	}
	return nodes
}

// Addrs are the addresses of all nodes.
func (c *RedisCluster) Addrs() []string { return addrs(c.nodes) }

func addrs(servers []*Redis) (all []string) {
	for _, r := range servers {
		all = append(all, r.Addr())
	}
	return all
}

// Node is the i-th node: masters first.
func (c *RedisCluster) Node(i int) *Redis { return c.nodes[i] }

// KillMaster ends the i-th node as a crash would. If it had replicas, [RedisCluster.AwaitFailover] waits until one has
// taken its place; without, the cluster soon refuses everything.
func (c *RedisCluster) KillMaster(i int) { c.nodes[i].Kill() }

// Stop ends all nodes, as [Redis.Stop] does.
func (c *RedisCluster) Stop() {
	stopAll(c.nodes)
	for _, b := range c.buses {
		b.release()
	}
	c.buses = nil
}

func stopAll(servers []*Redis) {
	var all errgroup.Group
	for _, r := range servers {
		all.Go(func() error { r.Stop(); return nil })
	}
	_ = all.Wait() // none returns an error
}

// LogTail is the end of the logs of all nodes, for messages.
func (c *RedisCluster) LogTail() string { return logTails(c.nodes) }

func logTails(servers []*Redis) string {
	var b strings.Builder
	for _, r := range servers {
		fmt.Fprintf(&b, "%s:\n%s\n", r.Addr(), r.LogTail())
	}
	return b.String()
}

var errNobodyAnswers = errors.New("no node answers")
