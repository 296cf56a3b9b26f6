package proxy

import (
	"testing"

	"weir/proxy/statement"
)

func TestPitfall36WhatIsRefused(t *testing.T) {
	cases := []struct {
		text string
		want bool
	}{
		{"DELETE FROM t", true},
		{"SELECT 1; DELETE FROM t", true},
		{"PREPARE s FROM 'DELETE FROM t'", true},
		{"START TRANSACTION READ WRITE", true},
		{"SET SESSION TRANSACTION READ WRITE", true}, // alone and in the text protocol it is answered without being run
		{"SET SESSION transaction_read_only = 0, sql_mode = ''", true},
		{"SET tx_read_only = @x", true},
		{"SET sql_mode = ''; SET SESSION TRANSACTION READ WRITE; SELECT f()", true},
		{"PREPARE s FROM 'SET SESSION transaction_read_only = OFF'", true},
		{"SET STATEMENT tx_read_only = 0 FOR SELECT f()", true},
		{"SET SESSION TRANSACTION READ ONLY", false},
		{"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY", false},
		{"SET STATEMENT max_statement_time = 1 FOR SELECT 1", false},
		{"PREPARE s FROM @anything", true},
		{"PREPARE s FROM 'SELECT v FROM t'", false},
		{"SELECT v FROM t", false},
	}
	s := &session{server: &Server{cfg: Config{Writes: Reject}}}
	analyzer := statement.NewAnalyzer()
	for _, c := range cases {
		st := analyzer.Analyze(c.text, statement.Env{Flavor: statement.MariaDB, Version: 1011})
		if got := s.refuse(st) != nil; got != c.want {
			t.Errorf("%s: refused: %v, want %v", c.text, got, c.want)
		}
	}
}
