package main

import (
	"bytes"
	"strings"
	"testing"

	"weir/docs"
)

// TestHelpPages: each page has a title and can be read without a terminal.
func TestHelpPages(t *testing.T) {
	for _, name := range topics() {
		text, err := docs.Pages.ReadFile(name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		page, err := render(string(text), 80, false)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(page, "\x1b") || !strings.Contains(page, title(string(text))) || title(string(text)) == "" {
			t.Errorf("the page %s has escapes, or no title", name)
		}
	}
}

// TestHelp: the list has commands and pages; a page, a command, and what does not exist are told apart.
func TestHelp(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"help", []string{"Usage: weir <command>", "serve", "completion", "configuration    Configuration"}},
		{"help redis", []string{"# Many Weirs"}},
		{"help serve", []string{"Usage: weir serve", "weir serve --source weir:secret@db.example", "Exits with 0"}},
		{"help top", []string{"Usage: weir top", "Exits with 1", "# weir top: how a Weir is, once a second", "what to make of it"}},
		{"help check", []string{"Usage: weir check", "What weir check looks at"}},
		{"help explain", []string{"Usage: weir explain <statement>", "5 if Weir refuses it", "Why is this not cached?"}},
		{"help nothing", []string{`error: there is no command and no page "nothing"; weir help lists what there is`}},
	} {
		if got := said(t, strings.Fields(c.args)...); !containsAll(got, c.want) {
			t.Errorf("weir %s says\n%s\nand not all of %q", c.args, got, c.want)
		}
	}
}

func containsAll(text string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

// said runs a command and returns what it prints.
func said(t *testing.T, args ...string) (text string) {
	t.Helper()
	var c commands
	var out bytes.Buffer
	parser := newParser(&c)
	parser.Stdout, parser.Stderr, parser.Exit = &out, &out, func(int) { panic("exit") }
	defer func() { // --help exits
		if recover() != nil {
			text = out.String()
		}
	}()
	k, err := parser.Parse(args)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Run(); err != nil {
		return "error: " + err.Error()
	}
	return out.String()
}
