package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"weir/cache/redistier"
	"weir/cmd/weir/daemon"
)

type serveCommand struct {
	Config   string `help:"Configuration file, in YAML." placeholder:"FILE"`
	Source   string `help:"The server whose binlog is read, in place of a file." placeholder:"USER:PASSWORD@HOST:PORT"`
	Listen   string `help:"Where clients connect." placeholder:"HOST:PORT"`
	Admin    string `help:"Where metrics and health are served." placeholder:"HOST:PORT"`
	LogLevel string `help:"The least level that is logged: debug, info, warn, error." default:"info" enum:"debug,info,warn,error"`
}

// Help is what --help adds.
func (*serveCommand) Help() string {
	return `Examples:

    weir serve --source weir:secret@db.example
    weir serve --config /etc/weir/weir.yaml --log-level warn

SIGHUP reads the certificates again. SIGTERM and Ctrl-C let statements and transactions under way finish, and then end.

Exits with 0 after a signal, and with 1 and a sentence if it cannot start; weir check says more about servers and accounts.
weir help configuration has all keys of the file.`
}

// Run serves until a signal comes.
func (c *serveCommand) Run(ctx context.Context) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	log := c.logger()
	redistier.LogTo(log)
	d, err := daemon.Open(ctx, cfg, log)
	if err != nil {
		return c.pointed(err)
	}
	defer onHangup(d.Reload)()
	defer c.announce(ctx, d, cfg, log)()
	return d.Run(ctx)
}

// announce begins to tell how far the start is, until what it returns is called.
func (c *serveCommand) announce(ctx context.Context, d *daemon.Daemon, cfg daemon.Config, log *slog.Logger) (stop func()) {
	a := announcer{weir: d, log: log, flags: c.flags()}
	if isTerminal(os.Stderr) {
		a.out = os.Stderr
	}
	if len(cfg.Users) > 0 {
		a.user = cfg.Users[0].Name
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); a.run(ctx) }()
	return func() { cancel(); <-done }
}

// flags are those with which the other commands find the Weir that this command starts.
func (c *serveCommand) flags() string {
	if c.Config != "" {
		return " --config " + c.Config
	}
	return ""
}

// pointed adds where to look for whatever else is wrong with the source.
func (c *serveCommand) pointed(err error) error {
	if !daemon.Unfit(err) {
		return err
	}
	from := "--config " + c.Config
	if c.Config == "" {
		from = "--source ..."
	}
	return fmt.Errorf("%w; `weir check %s` lists all that is to be mended", err, from)
}

// onHangup calls f at each SIGHUP, until what it returns is called.
func onHangup(f func()) (stop func()) {
	hangups, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		defer close(done)
		for range hangups {
			f()
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
		<-done
	}
}

// config reads the file, and lets flags win over it.
func (c *serveCommand) config() (cfg daemon.Config, err error) {
	switch {
	case c.Config == "" && c.Source == "":
		return cfg, errors.New("say which server to follow: --config weir.yaml, or --source user:password@host:port")
	case c.Config != "" && c.Source != "":
		return cfg, errors.New("--config and --source are both given; put the source into the file, or leave the file out")
	case c.Config != "":
		cfg, err = daemon.Load(c.Config)
	default:
		cfg = daemon.Default()
		err = cfg.SetSource(c.Source)
	}
	if c.Listen != "" {
		cfg.Listen = c.Listen
	}
	if c.Admin != "" {
		cfg.Admin = c.Admin
	}
	return cfg, err
}

func (c *serveCommand) logger() *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		panic(err) // kong lets only the four levels through
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run() error {
	_, err := fmt.Println("weir", daemon.Version())
	return err
}
