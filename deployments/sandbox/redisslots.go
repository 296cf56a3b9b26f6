package sandbox

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// migrateTimeout is how long the nodes may be busy with one handful of keys.
const migrateTimeout = 5 * time.Second

// MoveSlots moves the slots first to last, with the keys in them, to the i-th node, which must be a master, as `redis-cli
// --cluster reshard` does: one after the other, while clients go on. Slots that it has already stay.
func (c *RedisCluster) MoveSlots(ctx context.Context, first, last, i int) error {
	for slot := first; slot <= last; slot++ {
		from, err := c.Owner(ctx, slot)
		if err != nil {
			return err
		}
		if from == c.nodes[i] {
			continue
		}
		if err := c.move(ctx, slot, from, c.nodes[i]); err != nil {
			return fmt.Errorf("move slot %d from %s to %s: %w", slot, from.Addr(), c.nodes[i].Addr(), err)
		}
	}
	return nil
}

// Owner returns the master that has a slot: the one that says so of itself, since word of a move takes a while to get
// around. While none does, because it has died, it is whom another node names.
func (c *RedisCluster) Owner(ctx context.Context, slot int) (owner *Redis, err error) {
	err = errNobodyAnswers
	for _, r := range c.up() {
		ranges, failed := r.slots(ctx)
		if failed != nil {
			continue
		}
		named, failed := c.owner(ranges, slot)
		if named == r {
			return r, nil
		}
		if owner == nil {
			owner, err = named, failed
		}
	}
	if err != nil {
		return nil, fmt.Errorf("ask who has slot %d: %w", slot, err)
	}
	return owner, nil
}

// slotRange says which node has the slots first to last.
type slotRange struct {
	first, last int64
	owner       string // its address
}

// slots asks a node for its view.
func (r *Redis) slots(ctx context.Context) (all []slotRange, err error) {
	reply, err := r.briefly(ctx, "CLUSTER", "SLOTS")
	if err != nil {
		return nil, err
	}
	list, _ := reply.([]any)
	for _, one := range list {
		s, err := readRange(one)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// readRange reads first, last, and the nodes, each of which begins with its host and its port, the owner first.
func readRange(reply any) (s slotRange, err error) {
	list, _ := reply.([]any)
	if len(list) < 3 {
		return s, fmt.Errorf("CLUSTER SLOTS says %v", reply)
	}
	node, _ := list[2].([]any)
	if len(node) < 2 {
		return s, fmt.Errorf("CLUSTER SLOTS says %v", reply)
	}
	s.first, _ = list[0].(int64)
	s.last, _ = list[1].(int64)
	s.owner = fmt.Sprintf("%v:%v", node[0], node[1])
	return s, nil
}

// isRidOf reports whether r, a node of a cluster, does not think that other has slots.
func (r *Redis) isRidOf(ctx context.Context, other *Redis) bool {
	ranges, err := r.slots(ctx)
	return err == nil && !slices.ContainsFunc(ranges, func(s slotRange) bool { return s.owner == other.Addr() })
}

func (c *RedisCluster) owner(ranges []slotRange, slot int) (*Redis, error) {
	for _, s := range ranges {
		if s.first <= int64(slot) && int64(slot) <= s.last {
			return c.at(s.owner)
		}
	}
	return nil, fmt.Errorf("nobody has slot %d", slot)
}

// at finds a node by its address.
func (c *RedisCluster) at(addr string) (*Redis, error) {
	for _, r := range c.nodes {
		if r.Addr() == addr {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%s is no node of this cluster", addr)
}

// move moves one slot. The new owner is told first that it has it: the other way round, both would send clients to each
// other for a moment.
func (c *RedisCluster) move(ctx context.Context, slot int, from, to *Redis) error {
	source, target, err := ids(ctx, from, to)
	if err != nil {
		return err
	}
	if _, err := to.Do(ctx, "CLUSTER", "SETSLOT", slot, "IMPORTING", source); err != nil {
		return err
	}
	if _, err := from.Do(ctx, "CLUSTER", "SETSLOT", slot, "MIGRATING", target); err != nil {
		return err
	}
	if err := migrate(ctx, slot, from, to); err != nil {
		return err
	}
	for _, r := range []*Redis{to, from} {
		if _, err := r.Do(ctx, "CLUSTER", "SETSLOT", slot, "NODE", target); err != nil {
			return err
		}
	}
	return nil // the others hear of it from the new owner, within a second
}

func ids(ctx context.Context, a, b *Redis) (one, other any, err error) {
	if one, err = a.Do(ctx, "CLUSTER", "MYID"); err != nil {
		return nil, nil, err
	}
	other, err = b.Do(ctx, "CLUSTER", "MYID")
	return one, other, err
}

// migrate moves a slot's keys, a hundred at a time, until there are none.
func migrate(ctx context.Context, slot int, from, to *Redis) error {
	for {
		reply, err := from.Do(ctx, "CLUSTER", "GETKEYSINSLOT", slot, 100)
		if err != nil {
			return err
		}
		keys, _ := reply.([]any)
		if len(keys) == 0 {
			return nil
		}
		words := []any{"MIGRATE", "127.0.0.1", to.Port, "", 0, migrateTimeout.Milliseconds(), "REPLACE"}
		if password := from.control.Options().Password; password != "" {
			words = append(words, "AUTH", password)
		}
		if _, err := from.Do(ctx, append(append(words, "KEYS"), keys...)...); err != nil {
			return err
		}
	}
}
