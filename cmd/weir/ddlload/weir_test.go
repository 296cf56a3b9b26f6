package ddlload

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"weir/cmd/weir/daemon"
	"weir/deployments/sandbox"
)

// startWeir starts Weir in front of the server. The returned function ends it, once.
func startWeir(ctx context.Context, t *testing.T, s *sandbox.Server) (*daemon.Daemon, func() error, error) {
	cfg := daemon.Default()
	cfg.Listen, cfg.Admin = "127.0.0.1:0", "127.0.0.1:0"
	cfg.Source.Addr, cfg.Source.User, cfg.Source.Password = s.Addr(), weirUser, weirPassword
	cfg.Users = []daemon.User{{Name: appUser, Password: appPassword}}
	cfg.MaxConnections = 1000
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	d, err := daemon.Open(ctx, cfg, log)
	if err != nil {
		return nil, nil, err
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- d.Run(serving) }()
	stop := func() error {
		cancel()
		return <-done
	}
	ready, release := context.WithTimeout(ctx, time.Minute)
	defer release()
	if err := d.WaitReady(ready); err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	return d, stop, nil
}

// family is a metric with all its labels.
type family = *dto.MetricFamily

// values are those of a metric, for each of its labels.
func values(d *daemon.Daemon, name string) (all []float64) {
	families, _ := d.Registry().Gather() // with an error come those that are right
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			all = append(all, m.GetGauge().GetValue()+m.GetCounter().GetValue())
		}
	}
	return all
}

func sum(all []float64) (s float64) {
	for _, v := range all {
		s += v
	}
	return s
}
