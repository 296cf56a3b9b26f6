package main

import (
	"context"

	"weir/cache/redistier"
	"weir/cmd/weir/daemon"
)

type relayCommand struct {
	serveCommand `embed:""`
	Redis        []string `help:"The Redis to publish to, in place of the one in the file." placeholder:"HOST:PORT"`
}

// Help is what --help adds.
func (*relayCommand) Help() string {
	return `Example:

    weir relay --config /etc/weir/weir.yaml

The Weirs that follow it have stream: redis in their configuration. Of several relays of one source one publishes, and the
others stand by. Exits with 0 after a signal, and with 1 if it cannot start. weir help redis says how it works.`
}

// Run publishes until a signal comes.
func (c *relayCommand) Run(ctx context.Context) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	if len(c.Redis) > 0 {
		cfg.Redis.Addrs = c.Redis
	}
	log := c.logger()
	redistier.LogTo(log)
	r, err := daemon.OpenRelay(ctx, cfg, log)
	if err != nil {
		return c.pointed(err)
	}
	return r.Run(ctx)
}
