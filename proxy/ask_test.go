package proxy

import (
	"testing"

	"weir/proxy/statement"
)

func TestPitfall27WhatAsksAboutTheStatementBefore(t *testing.T) {
	cases := []struct {
		text string
		want bool
	}{
		{"SELECT FOUND_ROWS()", true},
		{"select now(), found_rows()", true},
		{"SELECT ROW_COUNT()", true},
		{"SELECT @@sql_mode, @@warning_count", true},
		{"SHOW WARNINGS", true},
		{"SHOW COUNT(*) ERRORS", true},
		{"GET DIAGNOSTICS @n = NUMBER", true},
		{"SELECT NOW(), warnings, errors FROM shop.log", false},
		{"SHOW TABLES LIKE 'errors'", false},
		{"DELETE FROM t WHERE n = ROW_COUNT()", false},
	}
	analyzer := statement.NewAnalyzer()
	for _, c := range cases {
		st := analyzer.Analyze(c.text, statement.Env{Flavor: statement.MySQL, Version: 804})
		if got := asksBack([]byte(c.text), st); got != c.want {
			t.Errorf("%s: got %v, want %v", c.text, got, c.want)
		}
	}
}
