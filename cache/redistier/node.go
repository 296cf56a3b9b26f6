package redistier

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// forgetAfter is how long a master that nobody has asked for is kept in mind.
const forgetAfter = time.Minute

// node is a server that is asked: the only one, or a master of a Cluster.
type node struct {
	breaker
	batcher
	told
	addr   string
	client redis.Cmdable // of this server alone, for the prober
	asked  atomic.Int64  // when last, in seconds of the Unix time
}

// nodes knows the servers by their addresses. What is not a Cluster has one, the root; in a Cluster the root stands for its
// map of slots, which cannot be loaded while no master is there.
type nodes struct {
	client  redis.UniversalClient
	cluster *redis.ClusterClient // nil if it is none
	budget  time.Duration
	last    int64 // the last byte that is asked of a value
	metrics *metrics
	log     func() *slog.Logger
	root    *node
	masters sync.Map // address to *node
}

func newNodes(t *Tier) *nodes {
	n := &nodes{client: t.client, budget: t.cfg.Budget, last: t.codec.maxStored(), metrics: t.metrics, log: t.log}
	n.cluster, _ = t.client.(*redis.ClusterClient)
	n.root = n.newNode(strings.Join(t.cfg.Addrs, ", "), t.client)
	return n
}

func (n *nodes) newNode(addr string, client redis.Cmdable) *node {
	of := &node{addr: addr, client: client}
	of.fetch = func(ctx context.Context, names []string) []reply { return n.fetch(ctx, of, names) }
	return of
}

var errOut = errors.New("the server is out")

// of returns the server that has the name; errOut if it, or all of them, are out.
func (n *nodes) of(ctx context.Context, name string) (*node, error) {
	if n.root.open() {
		return nil, errOut
	}
	if n.cluster == nil {
		return n.root, nil
	}
	client, err := n.cluster.MasterForKey(ctx, name)
	if err != nil {
		n.failed(n.root, err)
		return nil, err
	}
	master := n.master(client)
	if master.open() {
		return nil, errOut
	}
	return master, nil
}

func (n *nodes) master(client *redis.Client) *node {
	addr := client.Options().Addr
	known, ok := n.masters.Load(addr)
	if !ok {
		known, _ = n.masters.LoadOrStore(addr, n.newNode(addr, client))
	}
	master := known.(*node)
	if now := time.Now().Unix(); master.asked.Load() != now {
		master.asked.Store(now)
	}
	return master
}

// failed takes what a server that is asked has done wrong.
func (n *nodes) failed(of *node, err error) {
	of.why.Store(&err) // before the breaker opens: whoever tells of it looks at this then
	if of.fail() {
		n.metrics.opened.Inc()
	}
}

// get asks for a value until the deadline.
func (n *nodes) get(ctx context.Context, name string, deadline time.Time) reply {
	if n.cluster != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline) // the map of slots may have to be loaded
		defer cancel()
	}
	of, err := n.of(ctx, name)
	if err != nil {
		return reply{err: err}
	}
	return of.ask(ctx, name, deadline)
}

// fetch asks for values of one server in one pipeline. A server that has answered anything in time is well; one that had
// less than half of the budget to do so has not shown that it is sick.
func (n *nodes) fetch(ctx context.Context, of *node, names []string) []reply {
	deadline, _ := ctx.Deadline()
	fair := time.Until(deadline) > n.budget/2
	replies := n.read(ctx, names)
	n.metrics.batch.Observe(float64(len(names)))
	for _, r := range replies {
		if r.err == nil || wrongType(r.err) {
			of.ok()
			return replies
		}
	}
	if fair {
		n.failed(of, replies[0].err)
	}
	return replies
}

// read asks for so many bytes of each value as a value can have: whatever else is under the name, an answer is bounded. What
// is not there is empty.
//
// If nobody was asked, because there was no connection or the server refused the login, the client library says so for the
// pipeline and not for its commands, which then look as if each had found nothing.
func (n *nodes) read(ctx context.Context, names []string) []reply {
	if len(names) == 1 {
		value, err := n.client.GetRange(ctx, names[0], 0, n.last).Bytes()
		return []reply{{value, err}}
	}
	pipe := n.client.Pipeline()
	commands := make([]*redis.StringCmd, len(names))
	for i, name := range names {
		commands[i] = pipe.GetRange(ctx, name, 0, n.last)
	}
	_, failed := pipe.Exec(ctx)
	replies := make([]reply, len(names))
	for i, c := range commands {
		if replies[i].value, replies[i].err = c.Bytes(); replies[i].err != nil {
			failed = nil // each command has its own error
		}
	}
	for i := range replies {
		replies[i].err = cmp.Or(replies[i].err, failed)
	}
	return replies
}

// wrongType: somebody else has put something there that is no string.
func wrongType(err error) bool { return redis.HasErrorPrefix(err, "WRONGTYPE") }

// open counts the servers that are out.
func (n *nodes) open() (count int) {
	n.each(func(of *node) {
		if of.open() {
			count++
		}
	})
	return count
}

func (n *nodes) each(f func(of *node)) {
	f(n.root)
	n.masters.Range(func(_, of any) bool {
		f(of.(*node))
		return true
	})
}
