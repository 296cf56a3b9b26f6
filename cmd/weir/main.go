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
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/posener/complete"
)

type commands struct {
	Serve   serveCommand   `cmd:"" help:"Serve clients."`
	Check   checkCommand   `cmd:"" help:"Look at servers, account, tables and configuration, and say what to mend."`
	Relay   relayCommand   `cmd:"" help:"Read the binlog once, for many Weirs that follow it through Redis."`
	Explain explainCommand `cmd:"" help:"Say what a running Weir does with a statement, and why."`
	Top     topCommand     `cmd:"" help:"Show how a Weir is, once a second."`
	Demo    demoCommand    `cmd:"" help:"Start servers with a shop, show what Weir does for it, and clean up."`
	Help    helpCommand    `cmd:"" help:"Show how a command is used, or a page of the manual."`
	Version versionCommand `cmd:"" help:"Print the version."`

	Completion kongcompletion.Completion `cmd:"" help:"Print what makes a shell complete weir's commands and flags: bash, zsh, fish."`
}

func main() {
	var c commands
	parser := newParser(&c)
	kongcompletion.Register(parser, kongcompletion.WithPredictor("topic", complete.PredictFunc(func(complete.Args) []string { return topics() })))
	k, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k.BindTo(ctx, (*context.Context)(nil))
	if err := k.Run(); err != nil {
		os.Exit(ended(err))
	}
}

func newParser(c *commands) *kong.Kong {
	return kong.Must(c,
		kong.Name("weir"),
		kong.Description("A read-only proxy for MySQL and MariaDB with a result cache that the binlog keeps true."),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
}

// ended says an error that nobody has said yet, and returns the exit code: 1, or the one that the error has for scripts.
func ended(err error) int {
	var own interface {
		error
		ExitCode() int
		Quiet() bool
	}
	if !errors.As(err, &own) || !own.Quiet() {
		fmt.Fprintln(os.Stderr, "weir:", err)
	}
	if own == nil {
		return 1
	}
	return own.ExitCode()
}
