package inflight

import (
	"slices"
	"strings"
	"time"

	"weir/cache/dep"
)

// lock is a metadata lock on a table, held or waited for, or a guess at who holds one.
type lock struct {
	table   dep.Name
	mode    string // as MySQL calls it: SHARED_READ, EXCLUSIVE
	pending bool
	guess   bool // nothing is known but the owner, which is not of a DDL
	owner   Blocker
}

// learn adds the tables of which a DDL keeps others out, or is about to: a text that could not be read to its end does
// not name them all. It also finds that a DDL waits which has begun to since its state was asked for.
func (d *DDL) learn(locks []lock) {
	for _, l := range locks {
		if l.owner.ID != d.ID || l.guess {
			continue
		}
		d.Waiting = d.Waiting || l.pending
		if l.excludes() && !slices.Contains(d.Tables, l.table) {
			d.Tables = append(slices.Clip(d.Tables), l.table)
		}
	}
	slices.SortFunc(d.Tables, orderNames)
}

// excludes says that the lock lets nobody read the table. The server's own copies of tables do not count.
func (l lock) excludes() bool {
	return (l.mode == "EXCLUSIVE" || l.mode == "SHARED_NO_READ_WRITE") && !strings.HasPrefix(l.table.Table, "#sql")
}

// blocker is who holds a lock that d waits for, of several the one who has it for longest.
func (d *DDL) blocker(locks []lock, now time.Time) *Blocker {
	if !d.Waiting {
		return nil
	}
	var oldest *Blocker
	for _, l := range locks {
		if l.pending || l.owner.ID == d.ID || !d.heldUp(l, locks, now) {
			continue
		}
		if oldest == nil || l.owner.For > oldest.For {
			oldest = &l.owner
		}
	}
	return oldest
}

// heldUp says whether the lock that is held may be the one that d waits for: it conflicts with one that d is known to
// wait for, or, where that is not told, is on one of its tables. A guess must have been there before d.
func (d *DDL) heldUp(held lock, locks []lock, now time.Time) bool {
	if held.guess {
		return held.owner.For >= now.Sub(d.Since)
	}
	told := false
	for _, l := range locks {
		if !l.pending || l.owner.ID != d.ID {
			continue
		}
		told = true
		if l.table == held.table && conflict(l.mode, held.mode) {
			return true
		}
	}
	return !told && slices.Contains(d.Tables, held.table)
}

// conflict says whether a metadata lock that is asked for has to wait for one that is held. DDL asks for one that lets
// others read and write, later for one that lets them read, and for an exclusive one (sql/mdl.cc of either server,
// the matrix of object locks). Anything else is taken to conflict.
func conflict(asked, held string) bool {
	switch held {
	case "SHARED", "SHARED_HIGH_PRIO", "SHARED_READ", "SHARED_READ_ONLY":
		return asked != "SHARED_UPGRADABLE" && asked != "SHARED_NO_WRITE"
	case "SHARED_WRITE", "SHARED_WRITE_LOW_PRIO":
		return asked != "SHARED_UPGRADABLE"
	}
	return true
}

// countWaiters counts for each DDL the others that wait for locks on its tables.
func countWaiters(ddls []DDL, waits []process, locks []lock) {
	if slices.ContainsFunc(locks, func(l lock) bool { return l.pending }) {
		for i := range ddls {
			ddls[i].Waiters = ddls[i].told(locks)
		}
		return
	}
	for _, p := range waits {
		guessWaiter(ddls, p)
	}
}

// told counts those of which the server says what they wait for.
func (d *DDL) told(locks []lock) int {
	who := map[uint64]bool{}
	for _, l := range locks {
		if l.pending && l.owner.ID != d.ID && slices.Contains(d.Tables, l.table) {
			who[l.owner.ID] = true
		}
	}
	return len(who)
}

// guessWaiter counts one that waits for the DDL whose tables its text names, and for every DDL if it names none. It
// does not wait for itself.
func guessWaiter(ddls []DDL, p process) {
	named := slices.ContainsFunc(ddls, func(d DDL) bool { return d.named(p.sql) })
	for i := range ddls {
		if ddls[i].ID != p.id && (!named || ddls[i].named(p.sql)) {
			ddls[i].Waiters++
		}
	}
}

func (d *DDL) named(sql string) bool {
	return slices.ContainsFunc(d.Tables, func(n dep.Name) bool { return mentions(sql, n.Table) })
}
