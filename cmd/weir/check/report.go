package check

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Report is what was found.
type Report struct {
	World    *World
	Findings []Finding
}

// Count is how many findings have that severity.
func (r Report) Count(s Severity) (n int) {
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Blind reports whether the check could not be made: no source could be asked, or the configuration could not be read.
func (r Report) Blind() bool {
	if r.World.FileErr != nil {
		return true
	}
	for _, s := range r.World.Servers {
		if s.Source && s.Err == nil {
			return false
		}
	}
	return true
}

// Exit codes of `weir check`.
const (
	// ExitOK: nothing that counts.
	ExitOK = 0
	// ExitWarnings: warnings, if they are told to count.
	ExitWarnings = 1
	// ExitErrors: errors.
	ExitErrors = 2
	// ExitBlind: the check could not be made.
	ExitBlind = 3
)

// ExitCode is for scripts. Warnings count only if they are told to.
func (r Report) ExitCode(failOn Severity) int {
	switch {
	case r.Blind():
		return ExitBlind
	case r.Count(Error) > 0:
		return ExitErrors
	case r.Count(Warning) > 0 && failOn <= Warning:
		return ExitWarnings
	}
	return ExitOK
}

// Summary is one line.
func (r Report) Summary() string {
	var parts []string
	for _, s := range [...]Severity{Error, Warning, Note} {
		parts = append(parts, plural(r.Count(s), s.String()))
	}
	counts := fmt.Sprintf("%s, %d ok", strings.Join(parts, ", "), r.Count(OK))
	switch {
	case r.Blind():
		return "Could not check everything: " + counts + "."
	case r.Count(Error) > 0:
		return "Not ready for Weir: " + counts + "."
	}
	return "Ready for Weir: " + counts + "."
}

func plural(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// JSON writes the report for programs.
func (r Report) JSON(w io.Writer) error {
	type server struct {
		Addr    string `json:"addr"`
		Role    string `json:"role"`
		Flavor  string `json:"flavor,omitempty"`
		Version string `json:"version,omitempty"`
	}
	out := struct {
		Summary  map[string]int `json:"summary"`
		Complete bool           `json:"complete"`
		Servers  []server       `json:"servers"`
		Findings []Finding      `json:"findings"`
	}{Summary: map[string]int{}, Complete: !r.Blind(), Servers: []server{}, Findings: slices.Clone(r.Findings)}
	for i, f := range out.Findings {
		out.Findings[i].Mend = append([]string{}, f.Mend...) // a list, also where there is nothing to mend
	}
	for _, s := range [...]Severity{OK, Note, Warning, Error} {
		out.Summary[s.String()] = r.Count(s)
	}
	for _, s := range r.World.Servers {
		out.Servers = append(out.Servers, server{s.Addr, s.Role(), s.flavor(), s.Version})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
