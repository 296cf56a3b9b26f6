package proxy

import (
	"context"
	"time"

	"weir/cache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// # The second tier
//
// Whoever leads a flight asks the second tier before a server: once for all who wait for the same, before it enters the
// gate, since no server has anything to do with it, and after the statement was analysed. What is found was put there by
// another Weir, or by this one before a restart, and says what it depends on; but it is judged by what this Weir's own
// analysis says, which is as of the request's mark, and by this Weir's own ledger. Three races end there.
//
// A view is redefined, and another Weir has heard of it first. The view v reads the table t, and then u:
//
//  1. A client misses here. The mark is 90; by the analysis the statement reads v and t.
//  2. v is redefined at 95. Both Weirs record that.
//  3. The other Weir reads, as of 95: v and u. That is what is found in the second tier.
//  4. By the analysis of 1 nothing has touched v or t after 95. If the entry had AsOf 95, it would be servable, and a change
//     to u would not end it.
//
// So an entry's AsOf is the older one of the copy's and the mark, as for a fill: 90 is before the change to v.
//
// The finer tags are touched only since somebody here has watched for them. The other Weir has watched all the time:
//
//  1. The other Weir reads row 5 of t, as of 80. The copy depends on that row, as columns that it watches tell.
//  2. Row 5 changes at 85. Nobody here is interested in the column: t's own tag is touched, and that of the row is not.
//  3. A client misses here. The interest is taken up at 90, and the copy found.
//  4. By the copy's own tags it has not changed.
//
// So the entry depends on what the analysis says, at the grain that is followed since before the copy's AsOf, and else on
// t as a whole: see [reads]. The copy's own tags must be untouched as well: whoever stored it may have known of something
// that this Weir does not.
//
// The ledger starts again:
//
//  1. A client misses here, with a mark of 90 in the first epoch; or the copy is found in the first epoch.
//  2. The ledger starts again, the second epoch begins, and nothing is known to be touched.
//  3. The copy is found in the second epoch, or the entry is made and promoted.
//
// So mark and copy have to be of one epoch, and [cache.Cache.Promote] refuses what is not of the present one.
//
// Who has waited for the flight may need more than it brings: the interest that the leader has taken up when it came, while
// the copy is from before, and depends on the whole table. A thousand clients after a restart would all go to a server then.
// But what the leader has found is in the cache by then, and servable: so they look there again.

// Dialect stands for what the bytes of a stored result look like and what a key means. Weirs of another dialect do not see
// each other's results in a shared tier. It must be raised whenever either changes: what the session part of a key is made
// of, and how; the names in defaultsQuery; the forms of answers that are stored, and what is done to their bytes. It need
// not be for a change to what results depend on, since every Weir judges by its own analysis.
const Dialect = "1"

// second returns what the second tier has for the statement, once it is promoted and if it may be served.
func (f *fill) second(ctx context.Context) *cache.Entry {
	s := f.session
	if s.server.cache.Second == nil || f.kind != wire.KindResultSet {
		return nil
	}
	found, ok := s.server.cache.Second.Find(ctx, f.key, f.class)
	if !ok {
		return nil
	}
	e := f.judged(found)
	if e == nil || !s.server.cache.Promote(e, found.Age, s.bound()) || !s.entitled() {
		return nil
	}
	s.server.recipes.put(s)
	return e
}

// judged makes an entry of a copy; nil if it is of another epoch than the request, or something that whoever stored it has
// named was touched. A Restart may clear that while it is looked at, which then shows in the epoch.
func (f *fill) judged(found cache.Copy) *cache.Entry {
	at, mark := found.At, f.request.mark
	if f.session.server.wiped(at) {
		return nil
	}
	if at.Epoch != mark.Epoch || f.session.server.cache.Ledger().LastOf(found.Tags) > at.Seq {
		return nil
	}
	at.Seq = min(at.Seq, mark.Seq)
	e := f.entryOf(found.Wire, at)
	e.Versioned = e.Versioned && found.Versioned
	return e
}

// offer hands the second tier what was just read from a server. What tier 1 has no room for may have some there.
func (f *fill) offer(e *cache.Entry, why cache.Refusal, cost time.Duration) {
	tier := f.session.server.cache.Second
	if tier == nil || e.Private || f.kind != wire.KindResultSet || why != cache.Stored && why != cache.RefusedTooLarge {
		return
	}
	tier.Offer(e, f.class, cost)
}

// classify gives all statements that differ in their literals alone the same class, if there is somebody to tell.
func (f *fill) classify() {
	if f.session.server.cache.Second == nil {
		return
	}
	said, env := f.request.said, f.session.env()
	text := said.text
	if h := said.execution.handle; h != nil {
		env.Schema = h.schema
	}
	f.class = cache.Class(statement.Shape(string(text), env))
}
