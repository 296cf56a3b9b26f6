// Weir is a read-only proxy for MySQL and MariaDB with a result cache that the binlog keeps true.
package main

import (
	"context"
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
	Relay   relayCommand   `cmd:"" help:"Read the binlog once, for many Weirs that follow it through Redis."`
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
		fmt.Fprintln(os.Stderr, "weir:", err)
		os.Exit(1)
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
