package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cmd/weir/daemon"
)

// readyTimeout is how long Weir may take until it serves from its cache.
const readyTimeout = 30 * time.Second

// weir is a running Weir.
type weir struct {
	*daemon.Daemon
	maxStaleness time.Duration
	cancel       context.CancelFunc
	done         chan error
}

// startWeir starts Weir in front of both servers and waits until it serves from its cache.
func startWeir(ctx context.Context, o Options, s servers) (*weir, error) {
	cfg := daemon.Default()
	cfg.Listen, cfg.Admin = freeOr(o.Listen), freeOr(o.Admin)
	cfg.Source.Addr, cfg.Source.User, cfg.Source.Password = s.source.Addr(), weirUser, weirPassword
	cfg.Backends = []daemon.Backend{{Addr: s.replica.Addr()}, {Addr: s.source.Addr()}}
	cfg.Users = []daemon.User{{Name: shopUser, Password: shopPassword}}
	d, err := daemon.Open(ctx, cfg, o.Log)
	if err != nil {
		return nil, fmt.Errorf("start Weir: %w", err)
	}
	serving, cancel := context.WithCancel(context.Background())
	w := &weir{Daemon: d, maxStaleness: time.Duration(cfg.MaxStaleness), cancel: cancel, done: make(chan error, 1)}
	go func() { w.done <- d.Run(serving) }()
	ready, release := context.WithTimeout(ctx, readyTimeout)
	defer release()
	if err := w.WaitReady(ready); err != nil {
		return nil, errors.Join(fmt.Errorf("wait until Weir serves from its cache: %w", err), w.stop())
	}
	return w, nil
}

// stop ends Weir, once.
func (w *weir) stop() error {
	w.cancel()
	if err := <-w.done; err != nil {
		return fmt.Errorf("stop Weir: %w", err)
	}
	return nil
}

// hits is how many statements the cache has answered so far.
func (w *weir) hits() (int64, error) { return hits(w.Registry()) }

func hits(g prometheus.Gatherer) (int64, error) {
	families, err := g.Gather()
	if err != nil {
		return 0, fmt.Errorf("read Weir's metrics: %w", err)
	}
	for _, f := range families {
		if f.GetName() != "weir_statements_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			if l := m.GetLabel(); len(l) == 1 && l[0].GetValue() == "hit" {
				return int64(m.GetCounter().GetValue()), nil
			}
		}
	}
	return 0, errors.New(`read Weir's metrics: there is no weir_statements_total{outcome="hit"}`)
}

// freeOr returns addr, or the same host with any port if that one is taken.
func freeOr(addr string) string {
	l, err := net.Listen("tcp", addr)
	if err == nil {
		l.Close()
		return addr
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr // whoever listens there says what is wrong with it
	}
	return net.JoinHostPort(host, "0")
}
