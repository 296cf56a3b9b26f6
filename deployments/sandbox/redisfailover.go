package sandbox

import (
	"context"
	"fmt"
)

// Failover has the sentinels make a replica the master, with the old one alive, and returns when they all say so.
func (s *RedisSentinel) Failover(ctx context.Context) error {
	old, err := s.Master(ctx)
	if err != nil {
		return err
	}
	if _, err := s.sentinels[0].Do(ctx, "SENTINEL", "FAILOVER", masterName); err != nil {
		return err
	}
	return s.AwaitNewMaster(ctx, old)
}

// KillMaster ends the master as a crash would, and returns it at once. [RedisSentinel.AwaitNewMaster] waits for the next.
func (s *RedisSentinel) KillMaster(ctx context.Context) (*Redis, error) {
	r, err := s.Master(ctx)
	if err == nil {
		r.Kill()
	}
	return r, err
}

// LoseWrites has the replicas stop, calls write, ends the master as a crash would, lets the replicas go on, and returns when
// one of them is the master: what write has written to the old one is lost, though it was acknowledged.
func (s *RedisSentinel) LoseWrites(ctx context.Context, write func()) error {
	old, err := s.Master(ctx)
	if err != nil {
		return err
	}
	if err := s.others(old, (*Redis).Suspend); err != nil {
		return err
	}
	// A replica that is suspended still finds in its socket, later, what was sent to it.
	if _, err := old.Do(ctx, "CLIENT", "KILL", "TYPE", "replica"); err != nil {
		return err
	}
	write()
	old.Kill()
	if err := s.others(old, (*Redis).Resume); err != nil {
		return err
	}
	return s.AwaitNewMaster(ctx, old)
}

// others does something to all servers that are up, but for one.
func (s *RedisSentinel) others(but *Redis, do func(*Redis) error) error {
	for _, r := range s.servers {
		if r == but || r.Pid() == 0 {
			continue
		}
		if err := do(r); err != nil {
			return err
		}
	}
	return nil
}

// AwaitNewMaster returns when each sentinel that is up names a master other than old, which says so itself.
func (s *RedisSentinel) AwaitNewMaster(ctx context.Context, old *Redis) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for _, r := range s.sentinels {
		if r.Pid() == 0 {
			continue
		}
		err := poll(ctx, func() (bool, error) { return s.follows(ctx, r, old), nil })
		if err != nil {
			return fmt.Errorf("wait for another master than %s: %w; the log of the sentinel %s ends with:\n%s", old.Addr(), err, r.Addr(), r.LogTail())
		}
	}
	return nil
}

// follows reports whether a sentinel names a new master, and that is one.
func (s *RedisSentinel) follows(ctx context.Context, sentinel, old *Redis) bool {
	reply, err := sentinel.briefly(ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName)
	if err != nil {
		return false
	}
	r, err := s.named(reply)
	if err != nil || r == old {
		return false
	}
	role, err := r.briefly(ctx, "ROLE")
	list, _ := role.([]any)
	return err == nil && len(list) > 0 && list[0] == "master"
}
