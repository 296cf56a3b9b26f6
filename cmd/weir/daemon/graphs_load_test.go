package daemon

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// graphLoad does, step by step, all that is counted.
type graphLoad struct {
	*candidates
	app, other, change *client
	many               []*client
	pace               *time.Ticker
	steps              int
}

// hottest is asked for so often that Weir reads it again by itself after a change of its table.
const hottest = "SELECT v FROM t WHERE id = 2"

func newGraphLoad(t *testing.T, p *candidates) *graphLoad {
	t.Helper()
	l := &graphLoad{candidates: p, app: p.proxy("app", "shop"), other: p.proxy("app", "shop"), change: p.at(p.source), pace: time.NewTicker(100 * time.Millisecond)}
	t.Cleanup(l.pace.Stop)
	l.change.run("CREATE TABLE wide (id INT PRIMARY KEY, v INT)")
	for range 24 {
		l.many = append(l.many, p.proxy("app", "shop"))
	}
	l.heat()
	return l
}

func (l *graphLoad) heat() {
	for range 500 {
		l.app.ask(hottest)
	}
}

// burst has more reads come at once than a table's gate lets in.
func (l *graphLoad) burst() {
	var all sync.WaitGroup
	for _, c := range l.many {
		all.Go(func() { c.ask("SELECT SLEEP(0.01) FROM t LIMIT 1") })
	}
	all.Wait()
}

// step reads and changes rows, and now and then changes a table: ten times a second, since tables that change all the time
// are neither stored nor read again.
func (l *graphLoad) step() {
	<-l.pace.C
	l.steps++
	for i := range 5 {
		l.app.ask("SELECT v FROM t WHERE id = 1")
		l.other.ask(fmt.Sprintf("SELECT v FROM t WHERE id > %d", i))
	}
	l.app.ask("SELECT RAND()")
	l.change.run(fmt.Sprintf("UPDATE t SET v = 'step %d' WHERE id = 1", l.steps))
	l.change.run(fmt.Sprintf("INSERT INTO wide VALUES (%d, 1)", l.steps))
	if l.steps%60 == 5 {
		l.app.ask("SELECT * FROM wide")
		l.change.run(fmt.Sprintf("ALTER TABLE t MODIFY v VARCHAR(%d)", 20+l.steps))
		l.burst()
		l.heat()
	}
}
