package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"weir/cmd/weir/explain"
)

type explainCommand struct {
	Statement string `arg:"" help:"The statement, in quotes; - reads it from the standard input."`
	Config    string `help:"The configuration file of the Weir to ask: where it listens, and the account." placeholder:"FILE"`
	Server    string `help:"Where the Weir to ask listens, in place of a file." placeholder:"HOST:PORT"`
	User      string `help:"The account that asks; else the first one of users, or the source's." placeholder:"NAME"`
	Password  string `help:"Its password." placeholder:"PASSWORD" env:"WEIR_EXPLAIN_PASSWORD"`
	Database  string `help:"The default database." placeholder:"NAME"`
	JSON      bool   `name:"json" help:"Print JSON, whose keys docs/explain.md lists."`
}

// Help is what --help adds.
func (*explainCommand) Help() string {
	return `Examples:

    weir explain --config weir.yaml --database shop 'SELECT name FROM items WHERE id = 5'
    weir explain --server 127.0.0.1:3307 --user app --json - < statement.sql

Exits with 0 if the statement is cached or storable, 3 if not now, 4 if it is not cacheable, 5 if Weir refuses it, and with 1 if
nobody could be asked. weir help explain says what the answer means.`
}

// Run asks a Weir that runs, and prints what it says.
func (c *explainCommand) Run(ctx context.Context) error {
	text, err := c.text(os.Stdin)
	if err != nil {
		return err
	}
	return explain.Run(ctx, explain.Options{
		Statement: text, Config: c.Config, Server: c.Server, User: c.User, Password: c.Password, Database: c.Database,
		JSON: c.JSON, Color: isTerminal(os.Stdout), Out: os.Stdout,
	})
}

// text is the statement, without what the mysql client takes off, too: the semicolon and white space at the end.
func (c *explainCommand) text(in io.Reader) (string, error) {
	text := c.Statement
	if text == "-" {
		b, err := io.ReadAll(in)
		if err != nil {
			return "", fmt.Errorf("read the statement from the standard input: %w", err)
		}
		text = string(b)
	}
	return strings.TrimRight(text, "; \t\r\n"), nil
}
