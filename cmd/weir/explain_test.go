package main

import (
	"errors"
	"strings"
	"testing"
)

type quietly int

func (q quietly) Error() string { return "told" }
func (q quietly) ExitCode() int { return int(q) }
func (q quietly) Quiet() bool   { return true }

func TestEnded(t *testing.T) {
	if code := ended(errors.New("an error of a test")); code != 1 {
		t.Errorf("an error ends with %d", code)
	}
	if code := ended(quietly(4)); code != 4 {
		t.Errorf("an error with the code 4 ends with %d", code)
	}
}

func TestExplainReadsTheStatement(t *testing.T) {
	c := explainCommand{Statement: "-"}
	if text, err := c.text(strings.NewReader("SELECT 1;\n")); err != nil || text != "SELECT 1" {
		t.Errorf("%q, %v", text, err)
	}
}
