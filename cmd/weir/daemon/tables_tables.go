package daemon

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"weir/cache"
	"weir/proxy/digest"
	"weir/proxy/virtual"
	"weir/replicator/recent"
)

func (d *Daemon) tablesTable() virtual.Table {
	return virtual.Table{
		Schema: virtual.Schema, Name: "tables", Privilege: virtual.Process,
		Columns: []virtual.Column{
			column("schema_name", virtual.Text, "database"),
			column("table_name", virtual.Text, "table or view; others for all changes of tables that have no row of their own"),
			column("calls", virtual.Unsigned, "executions of statements that read it"),
			column("hits", virtual.Unsigned, "those that were answered from the cache"),
			column("misses", virtual.Unsigned, "those that a server answered, to be stored"),
			column("joined", virtual.Unsigned, "those that got the answer of an identical miss under way"),
			column("not_cached", virtual.Unsigned, "those that were sent on without a look at storing their result"),
			column("hit_ratio", virtual.Double, "share of the executions that were hits, 0 to 1"),
			column("backend_seconds", virtual.Double, "seconds that servers took for them"),
			column("saved_seconds", virtual.Double, "seconds that servers would have taken for what they were not asked"),
			column("would_hits", virtual.Unsigned, "executions that would have been hits, under query_cache_type: OBSERVE"),
			column("stores", virtual.Unsigned, "results that were stored and depend on it more coarsely than on other tables"),
			column("kept", virtual.Unsigned, "those of them that are in memory now"),
			column("ended", virtual.Unsigned, "those of them that a change has ended; noticed when they are replaced or swept"),
			column("ended_used", virtual.Unsigned, "those of the ended ones that had been served before"),
			column("paused_seconds", virtual.Double, "for how many more seconds its results are not stored, since that did not pay; NULL if they are"),
			column("transactions", virtual.Unsigned, "transactions that changed it, since Weir started"),
			column("row_changes", virtual.Unsigned, "rows of it that these inserted, updated or deleted, as far as they were counted"),
			column("touches", virtual.Unsigned, "transactions that changed it outside of rows: schema changes, statements in text, foreign keys"),
			column("changed_at", virtual.Time, "when it changed last"),
			column("advice", virtual.Long, "what that means, in words"),
		},
		Rows: d.tableRows,
	}
}

// tableUse is what is known of one table, from those who read it, those who keep its results, and the stream.
type tableUse struct {
	name    string // schema.table
	reads   digest.TableStats
	changes recent.TableTally
	kept    cache.YieldStats // of all grains together
	paused  map[string]time.Duration
}

func (d *Daemon) tableUses() []*tableUse {
	all := map[string]*tableUse{}
	of := func(name string) *tableUse {
		u := all[name]
		if u == nil {
			u = &tableUse{name: name, paused: map[string]time.Duration{}}
			all[name] = u
		}
		return u
	}
	for _, t := range d.proxy.Digests().Tables() {
		of(t.Table).reads = t
	}
	for _, t := range d.recent.Tables() {
		of(t.Name.String()).changes = t
	}
	for _, y := range d.cache.Yields() {
		of(y.Table).keep(y)
	}
	out := make([]*tableUse, 0, len(all))
	for _, u := range all {
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b *tableUse) int {
		return cmp.Or(cmp.Compare(b.reads.Reads, a.reads.Reads), cmp.Compare(b.changes.Transactions, a.changes.Transactions), cmp.Compare(a.name, b.name))
	})
	return out
}

func (u *tableUse) keep(y cache.YieldStats) {
	u.kept.Stores, u.kept.Ended, u.kept.Used = u.kept.Stores+y.Stores, u.kept.Ended+y.Ended, u.kept.Used+y.Used
	u.kept.Kept += y.Kept
	if y.Left > 0 {
		u.paused[y.Grain] = y.Left
	}
}

// longestPause is NULL if there is none.
func (u *tableUse) longestPause() any {
	longest := time.Duration(0)
	for _, left := range u.paused {
		longest = max(longest, left)
	}
	return known(seconds(longest))
}

func (d *Daemon) tableRows(virtual.Viewer) [][]any {
	uses := d.tableUses()
	rows := make([][]any, 0, len(uses))
	for _, u := range uses {
		schema, table, _ := strings.Cut(u.name, ".")
		r, c, k := u.reads, u.changes, u.kept
		rows = append(rows, []any{
			schema, table, r.Reads, r.Hits, r.Misses, r.Joined, r.NotCached, shareOf(r.Hits, r.Reads), rounded(r.BackendSeconds), rounded(r.SavedSeconds),
			r.WouldHits, k.Stores, uint64(max(k.Kept, 0)), k.Ended, k.Used, u.longestPause(), c.Transactions, c.RowChanges, c.Touches, moment(c.Last), u.advice(),
		})
	}
	return rows
}

const (
	// fewReads are too few to say anything.
	fewReads = 20
	// pays is the share of hits from which on caching a table pays without a doubt.
	pays = .5
)

// advice says in words what matters most about a table.
func (u *tableUse) advice() string {
	r, c := u.reads, u.changes
	switch {
	case r.Reads == 0:
		return "nobody reads it through Weir"
	case len(u.paused) > 0:
		return u.pauseAdvice()
	case c.Touches >= 3 && c.Touches*4 >= c.Transactions:
		return "changed outside of rows, by schema changes, statements in text or foreign keys: each time all its results end; binlog_format=ROW lets Weir see rows"
	case r.Reads < fewReads:
		return "too few reads to say"
	case r.NotCached*2 > r.Reads:
		return "most of its reads are not cached: not_cached_by in weir.statements says why"
	case r.WouldHits > 0 && r.Hits == 0:
		return fmt.Sprintf("caching would answer %d of 100 reads", percent(r.WouldHits, r.Reads))
	case float64(r.Hits+r.Joined) >= pays*float64(r.Reads):
		return "pays"
	case u.kept.Ended > 2*u.kept.Used:
		return fmt.Sprintf("seldom used before a change: of %d results that changes ended, %d had been used", u.kept.Ended, u.kept.Used)
	}
	return fmt.Sprintf("pays a little: %d of 100 reads are hits", percent(r.Hits, r.Reads))
}

func percent(n, of uint64) int { return int(math.Round(100 * float64(n) / float64(max(of, 1)))) }

// pauseAdvice says which reads are not stored, and for how long.
func (u *tableUse) pauseAdvice() string {
	var grains []string
	for g, left := range u.paused {
		grains = append(grains, fmt.Sprintf("%s (%v)", g, left.Round(time.Second)))
	}
	slices.Sort(grains)
	return "seldom used before a change: results that depend on it by " + strings.Join(grains, ", by ") + " are not stored for so long, and then tried again"
}
