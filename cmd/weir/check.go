package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"weir/cache/redistier"
	"weir/cmd/weir/check"
	"weir/cmd/weir/daemon"
)

type checkCommand struct {
	Config      string `help:"Configuration file, in YAML." placeholder:"FILE"`
	Source      string `help:"The server whose binlog is read, in place of a file." placeholder:"USER:PASSWORD@HOST:PORT"`
	JSON        bool   `name:"json" help:"Print the findings as JSON, for programs."`
	PrintGrants bool   `help:"Print the SQL that makes Weir's account, and change nothing."`
	Flavor      string `help:"Of the SQL of --print-grants: mysql or mariadb; what the server is, or both, if it is left out." enum:",mysql,mariadb" default:""`
	FailOn      string `help:"The least severity with which the exit code is not 0: error, or warning." enum:"error,warning" default:"error"`
}

// Help is what `weir check --help` says beyond the flags.
func (checkCommand) Help() string {
	return "Looks at the source, the backends, Redis and the configuration, and says what matters to Weir, why, and what mends it. It changes nothing. " +
		"The exit code is 0 if all is well or worth a note, 1 for warnings with --fail-on=warning, 2 for errors, 3 if the source or the file could not be read. " +
		"To make Weir's account: weir check --source weir@db:3306 --print-grants > weir.sql, put a password in, and run it with the server's own client."
}

// exitError ends the program with a code of its own, and without a message if there is none.
type exitError struct {
	code int
	text string
}

func (e exitError) Error() string { return e.text }

// ExitCode is what the program ends with.
func (e exitError) ExitCode() int { return e.code }

// Quiet says that there is nothing more to say: the report has said it.
func (e exitError) Quiet() bool { return e.text == "" }

// Run looks, and prints.
func (c *checkCommand) Run(ctx context.Context) error {
	if c.PrintGrants {
		return check.PrintGrants(os.Stdout, c.user(), c.flavours(ctx)...)
	}
	report, err := c.report(ctx)
	if err != nil {
		return exitError{check.ExitBlind, err.Error()}
	}
	if err := c.print(os.Stdout, report); err != nil {
		return err
	}
	failOn := check.Error
	if c.FailOn == "warning" {
		failOn = check.Warning
	}
	if code := report.ExitCode(failOn); code != check.ExitOK {
		return exitError{code: code}
	}
	return nil
}

func (c *checkCommand) report(ctx context.Context) (check.Report, error) {
	serve := serveCommand{Config: c.Config, Source: c.Source}
	if c.Config == "" && c.Source == "" || c.Config != "" && c.Source != "" {
		_, err := serve.config()
		return check.Report{}, err
	}
	cfg, err := serve.config()
	if err == nil {
		err = cfg.Validate()
	}
	if err != nil {
		return check.Judge(check.Unread(c.Config, err)), nil
	}
	redistier.LogTo(slog.New(slog.DiscardHandler))
	progress, done := showProgress(os.Stderr)
	defer done()
	return check.Judge(check.Look(ctx, cfg, c.Config, progress)), nil
}

func (c *checkCommand) print(w io.Writer, report check.Report) error {
	if c.JSON {
		return report.JSON(w)
	}
	return report.Print(w, isTerminal(os.Stdout))
}

// showProgress shows what is being asked, on one line of a terminal; on nothing else.
func showProgress(to *os.File) (progress check.Progress, done func()) {
	if !isTerminal(to) {
		return func(string) {}, func() {}
	}
	var mu sync.Mutex
	show := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(to, "\r\x1b[K%.79s", what)
	}
	return show, func() { show("") }
}

// user is Weir's, by the configuration, or the name that the README gives it.
func (c *checkCommand) user() string {
	cfg, err := c.configured()
	if err != nil || cfg.Source.User == "" {
		return "weir"
	}
	return cfg.Source.User
}

func (c *checkCommand) configured() (daemon.Config, error) {
	return (&serveCommand{Config: c.Config, Source: c.Source}).config()
}

// flavours are whose SQL is printed. A server says whose it is before anybody has logged in.
func (c *checkCommand) flavours(ctx context.Context) []string {
	names := map[string]string{"mysql": "MySQL", "mariadb": "MariaDB"}
	if c.Flavor != "" {
		return []string{names[c.Flavor]}
	}
	cfg, err := c.configured()
	if err != nil {
		return []string{names["mysql"], names["mariadb"]}
	}
	return check.FlavoursOf(ctx, cfg)
}
