package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"weir/cmd/weir/demo"
	"weir/deployments/sandbox"
)

type demoCommand struct {
	Flavor  string       `help:"Whose servers to start: mysql or mariadb." enum:"mysql,mariadb" default:"mariadb" env:"DEMO_FLAVOR"`
	Seconds demoDuration `help:"How long the load runs; until Ctrl-C if it is left out." placeholder:"N" env:"DEMO_SECONDS"`
}

// Help is what --help adds.
func (*demoCommand) Help() string {
	return `It needs a server of the flavour on this machine, which make demo installs: DEMO_SECONDS=20 make demo.

Exits with 1 if a stale answer was seen, or if it could not be shown.`
}

// Run shows the demo. A signal ends the load, or the loading; a second one ends everything at once, but cleans up; a
// third one is the system's.
func (c *demoCommand) Run(ctx context.Context) error {
	now, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { awaitSignal(now, cancel) })()
	_, err := demo.Run(now, ctx, c.options())
	return err
}

var errInterrupted = errors.New("interrupted")

// awaitSignal cancels at the next signal.
func awaitSignal(ctx context.Context, cancel context.CancelCauseFunc) {
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM)
	defer signal.Reset(os.Interrupt, syscall.SIGTERM)
	select {
	case <-again:
		cancel(errInterrupted)
	case <-ctx.Done():
	}
}

func (c *demoCommand) options() demo.Options {
	o := demo.DefaultOptions(map[string]sandbox.Flavor{"mysql": sandbox.MySQL, "mariadb": sandbox.MariaDB}[c.Flavor])
	o.Duration = time.Duration(c.Seconds)
	o.Out, o.Color = os.Stdout, isTerminal(os.Stdout)
	o.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return o
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}

// demoDuration is a number of seconds. Empty, as in a Makefile's variable that nobody has set, is no limit.
type demoDuration time.Duration

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *demoDuration) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(n > 0 && n <= 1e6) {
		return fmt.Errorf("%q is not a number of seconds; write it as 20, or leave it out to run until Ctrl-C", text)
	}
	*d = demoDuration(n * float64(time.Second))
	return nil
}
