// Weir is a read-only proxy for MySQL and MariaDB with a result cache that the binlog keeps true.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

type commands struct {
	Serve   serveCommand   `cmd:"" help:"Serve clients."`
	Relay   relayCommand   `cmd:"" help:"Read the binlog once, for many Weirs that follow it through Redis."`
	Demo    demoCommand    `cmd:"" help:"Start servers with a shop, show what Weir does for it, and clean up."`
	Explain explainCommand `cmd:"" help:"Say what a running Weir does with a statement, and why."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

func main() {
	var c commands
	parser := kong.Must(&c,
		kong.Name("weir"),
		kong.Description("A read-only proxy for MySQL and MariaDB with a result cache that the binlog keeps true."),
		kong.UsageOnError(),
	)
	k, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k.BindTo(ctx, (*context.Context)(nil))
	if err := k.Run(); err != nil {
		os.Exit(ended(err))
	}
}

// ended says an error that nobody has said yet, and returns the exit code: 1, or the one that the error has for scripts.
func ended(err error) int {
	var told interface {
		error
		ExitCode() int
		Quiet() bool
	}
	if !errors.As(err, &told) || !told.Quiet() {
		fmt.Fprintln(os.Stderr, "weir:", err)
	}
	if told == nil {
		return 1
	}
	return told.ExitCode()
}
