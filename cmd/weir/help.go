package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/styles"
	"github.com/alecthomas/kong"
	"github.com/charmbracelet/x/ansi"

	"weir/docs"
)

type helpCommand struct {
	Topic string `arg:"" optional:"" help:"A command, or a page of the manual; without one, what there is." predictor:"topic"`
	Width int    `help:"Columns of a page." default:"80"`
}

// Run shows a page of the manual, or how a command is used, or both if they have the same name: check, explain, top.
func (c *helpCommand) Run(k *kong.Context) error {
	if c.Topic == "" {
		return overview(k)
	}
	use, err := c.usage(k)
	if err != nil {
		return err
	}
	text, err := docs.Pages.ReadFile(c.Topic + ".md")
	switch {
	case err != nil && use == "":
		return fmt.Errorf("there is no command and no page %q; weir help lists what there is", c.Topic)
	case err != nil:
		return showPage(k.Stdout, use)
	}
	page, err := render(string(text), c.Width, isTerminal(os.Stdout))
	if err != nil {
		return err
	}
	return showPage(k.Stdout, use+page)
}

// usage is how the command is used that the topic names; empty if it names none.
func (c *helpCommand) usage(k *kong.Context) (string, error) {
	if !slices.ContainsFunc(k.Model.Children, func(n *kong.Node) bool { return n.Name == c.Topic }) {
		return "", nil
	}
	command, err := kong.Trace(k.Kong, []string{c.Topic})
	if err != nil {
		return "", err
	}
	out := k.Stdout
	defer func() { k.Stdout = out }()
	var use strings.Builder
	k.Stdout = &use
	err = command.PrintUsage(false)
	return use.String(), err
}

// overview lists commands and pages.
func overview(k *kong.Context) error {
	top, err := kong.Trace(k.Kong, nil)
	if err != nil {
		return err
	}
	if err := top.PrintUsage(false); err != nil {
		return err
	}
	fmt.Fprint(k.Stdout, "\nPages of the manual, for weir help PAGE:\n")
	for _, name := range topics() {
		text, err := docs.Pages.ReadFile(name + ".md")
		if err != nil {
			return err
		}
		fmt.Fprintf(k.Stdout, "  %-15s  %s\n", name, title(string(text)))
	}
	return nil
}

// topics are the pages' names.
func topics() (names []string) {
	files, err := docs.Pages.ReadDir(".")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f.Name()), ".md"))
	}
	return slices.Sorted(slices.Values(names))
}

// title is the first heading of a page.
func title(page string) string {
	first, _, _ := strings.Cut(page, "\n")
	return strings.TrimLeft(first, "# ")
}

// render makes a page of Markdown readable. What goes to no terminal has neither colours nor links.
func render(page string, width int, terminal bool) (string, error) {
	style := styles.NoTTYStyle
	if terminal {
		style = styles.DarkStyle
	}
	r, err := glamour.NewTermRenderer(glamour.WithStandardStyle(style), glamour.WithWordWrap(width))
	if err != nil {
		return "", fmt.Errorf("render the page: %w", err)
	}
	text, err := r.Render(page)
	if err != nil || terminal {
		return text, err
	}
	return ansi.Strip(text), nil
}

// showPage shows a page as man does: in the pager if it goes to a terminal.
func showPage(out io.Writer, page string) error {
	if out != os.Stdout || !isTerminal(os.Stdout) {
		_, err := io.WriteString(out, page)
		return err
	}
	pager := os.Getenv("PAGER")
	if pager == "" {
		pager = "less -R"
	}
	cmd := exec.Command("sh", "-c", pager) //nolint:gosec,noctx // it is the user's own command, and ends with the user
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(page), os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		_, err = io.WriteString(out, page)
		return err
	}
	return nil
}
