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
		os.Exit(complain(err))
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

// complain says what has failed, if that has not been said, and returns the code to end with.
func complain(err error) int {
	if err.Error() != "" {
		fmt.Fprintln(os.Stderr, "weir:", err)
	}
	var own interface{ ExitCode() int }
	if errors.As(err, &own) {
		return own.ExitCode()
	}
	return 1
}
