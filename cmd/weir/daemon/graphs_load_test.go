package daemon

import (
	"fmt"
	"testing"
)

// graphLoad does, step by step, all that is counted.
type graphLoad struct {
	*candidates
	app, other, change *client
	steps              int
}

func newGraphLoad(t *testing.T, p *candidates) *graphLoad {
	t.Helper()
	l := &graphLoad{candidates: p, app: p.proxy("app", "shop"), other: p.proxy("app", "shop"), change: p.at(p.source)}
	l.change.run("CREATE TABLE wide (id INT PRIMARY KEY, v INT)")
	return l
}

// step reads, changes rows, and now and then changes a table.
func (l *graphLoad) step() {
	l.steps++
	for i := range 20 {
		l.app.ask("SELECT v FROM t WHERE id = 1")
		l.app.ask(fmt.Sprintf("SELECT v FROM t WHERE id > %d", i))
	}
	l.other.ask("SELECT v FROM t WHERE id = 1")
	l.app.ask("SELECT RAND()")
	l.change.run(fmt.Sprintf("UPDATE t SET v = 'step %d' WHERE id = 1", l.steps))
	l.change.run(fmt.Sprintf("INSERT INTO wide VALUES (%d, 1)", l.steps))
	if l.steps%10 == 1 {
		l.app.ask("SELECT * FROM wide")
		l.change.run(fmt.Sprintf("ALTER TABLE t ADD COLUMN c%d INT", l.steps))
	}
}
