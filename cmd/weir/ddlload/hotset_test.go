package ddlload

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// statement is one of the hot set.
type statement struct {
	text string
	// want is what the server answered before the run.
	want rowsOf
	// varies says that the answer may become another: that is compared with the server only between changes.
	varies bool
}

// hotSet returns so many different statements: half points, three in ten ranges, and the rest sums, which are the ones that
// are worth caching. Every twentieth reads all columns and so sees a new one; every twentieth is over another table.
func hotSet(many, rows int, varies bool) []statement {
	random := rand.New(rand.NewPCG(uint64(many), uint64(rows)))
	seen := map[string]bool{}
	var all []statement
	for len(all) < many {
		s := oneOf(len(all)%20, random.IntN(rows)+1)
		if s.varies = s.varies || varies; !seen[s.text] {
			seen[s.text] = true
			all = append(all, s)
		}
	}
	return all
}

func oneOf(kind, id int) statement {
	switch {
	case kind == 0:
		return statement{text: fmt.Sprintf("SELECT * FROM big WHERE id = %d", id), varies: true}
	case kind == 1:
		return statement{text: fmt.Sprintf("SELECT id, amount, note FROM small WHERE id = %d", id%smallRows)}
	case kind < 10:
		return statement{text: fmt.Sprintf("SELECT id, k, amount, note FROM big WHERE id = %d", id)}
	case kind < 16:
		return statement{text: fmt.Sprintf("SELECT id, k, note FROM big WHERE id BETWEEN %d AND %d", id, id+49)}
	}
	return statement{text: fmt.Sprintf("SELECT COUNT(*), SUM(amount), MAX(k) FROM big WHERE id BETWEEN %d AND %d", id, id+4999)}
}

// sums are so many reads of 5,000 rows each. A read of one row is over before it can be seen in the server.
func sums(table string, many int) []statement {
	all := make([]statement, many)
	for i := range all {
		all[i] = statement{text: fmt.Sprintf("SELECT COUNT(*), SUM(amount), MAX(k) FROM %s WHERE id BETWEEN %d AND %d", table, i+1, i+5000)}
	}
	return all
}

// learn asks the server for all answers.
func learn(ctx context.Context, addr string, all []statement) error {
	return each(ctx, addr, all, func(s *statement, got rowsOf) error {
		s.want = got
		return nil
	})
}

// compare asks for all answers and reports the first that is not the server's.
func compare(ctx context.Context, addr, server string, all []statement) error {
	if err := learn(ctx, server, all); err != nil {
		return err
	}
	return each(ctx, addr, all, func(s *statement, got rowsOf) error {
		if got != s.want {
			return fmt.Errorf("%s is not answered by %s with the server's rows", s.text, addr)
		}
		return nil
	})
}

// each asks all statements on one connection.
func each(ctx context.Context, addr string, all []statement, then func(*statement, rowsOf) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := dial(ctx, addr)
	if err != nil {
		return err
	}
	for i := range all {
		got, err := c.ask(all[i].text)
		if err == nil {
			err = then(&all[i], got)
		}
		if err != nil {
			return fmt.Errorf("ask %s for %s: %w", addr, all[i].text, err)
		}
	}
	return nil
}
