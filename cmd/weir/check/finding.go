package check

import "fmt"

// Severity says how much a finding matters.
type Severity int

// Severities. The zero value is that of what was not looked at, or does not apply.
const (
	unseen Severity = iota
	// OK: nothing to do.
	OK
	// Note: worth knowing. Weir does what it promises.
	Note
	// Warning: Weir does what it promises, and less well than it could; or a promise has a hole that only people can mend.
	Warning
	// Error: Weir does not start, or nothing is cached from there.
	Error
)

var severityNames = [...]string{unseen: "unseen", OK: "ok", Note: "note", Warning: "warning", Error: "error"}

// String is the severity's name.
func (s Severity) String() string { return severityNames[s] }

// MarshalText implements [encoding.TextMarshaler].
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is what one rule says of one server, or of something else that was looked at. The names in JSON are a contract.
type Finding struct {
	Severity Severity `json:"severity"`
	ID       string   `json:"id"`
	// Where is the server's address, or redis, configuration, weir, servers.
	Where string `json:"where"`
	// Evidence is what was seen.
	Evidence string `json:"evidence"`
	// Meaning is what that means for Weir; empty if all is well.
	Meaning string `json:"meaning"`
	// Mend are the statements or settings that change it, for the server's flavour and version.
	Mend []string `json:"mend"`
}

// verdict is what a rule says. The zero value: it does not apply, or its facts are missing.
type verdict struct {
	severity          Severity
	evidence, meaning string
	mend              []string
}

func fine(evidence string, args ...any) verdict {
	return verdict{severity: OK, evidence: fmt.Sprintf(evidence, args...)}
}

func note(evidence, meaning string, mend ...string) verdict {
	return verdict{Note, evidence, meaning, mend}
}

func warn(evidence, meaning string, mend ...string) verdict {
	return verdict{Warning, evidence, meaning, mend}
}

func fail(evidence, meaning string, mend ...string) verdict {
	return verdict{Error, evidence, meaning, mend}
}
