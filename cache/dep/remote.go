package dep

import (
	"slices"
	"strings"

	"weir/cache"
)

// NewRemoteWatch returns a watch for a process that does not read the binlog itself. Whoever reads it has a watch of its
// own, is asked to take interests up, and announces in the stream since which Seq it follows them; until then they are
// not followed, and results depend on tables. Races:
//
//	W1. An interest that is asked for is not yet an interest that is followed.
//	 1. A fill wants rows by id. The other one hears of it at 200; until then it decodes no rows.
//	 2. The row changes at 150: only the table is touched.
//	 3. The fill's result, AsOf 100, would stay servable. It does not: [Watch.Want] has said "not yet", so that the
//	    result depends on the table; the next one relies on the interest once "since 200" has come and its AsOf is there.
//
//	W2. A reader that starts anew does not know what the one before it had announced.
//	 1. "Since 200" is announced. The reader dies; another one begins, and follows nothing by id.
//	 2. It delivers the change of a row at 300 as one to the table.
//	 3. A fill at 350 that relies on "since 200" would depend on the row alone, and the row's next change is again not told.
//	    It does not rely on it: another reader is another epoch, and [Watch.Restart] has forgotten what was announced.
//
//	W3. The other one gives a table up, and takes it up again later, while this one goes on relying on "since 200".
//	    In between changes touch the table's anchor, on which every result depends, and afterwards the tags: what was
//	    announced once stays true for as long as the epoch lasts, whoever asked for it, and however often it is repeated.
//
// [Watch.Decoding] and [Watch.Recorded] are not for such a watch, though the latter does no harm.
func NewRemoteWatch(l *cache.Ledger) *Watch {
	w := NewWatch(l)
	w.remote = announced{}
	return w
}

// announced is what the reader has said in the present epoch.
type announced map[Name]map[Want]cache.Seq

func (a announced) begin(n Name, want Want) *interest {
	if since, ok := a[n][want]; ok {
		return &interest{since}
	}
	return &interest{notYet}
}

// Followed notes an announcement: from the Seq on every change to the table touches the tags of these interests, or the
// table's anchor. It may name interests that nobody has here. It is for the goroutine that applies the stream.
func (w *Watch) Followed(all Interests, since cache.Seq) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.remote == nil {
		return
	}
	if w.remote[all.Table] == nil {
		w.remote[all.Table] = map[Want]cache.Seq{}
	}
	for _, want := range all.Wants {
		if before, ok := w.remote[all.Table][want]; !ok || since < before {
			w.remote[all.Table][want] = since
		}
		if t := w.tables[all.Table]; t != nil && t.since[want] != nil {
			t.since[want].since = w.remote[all.Table][want]
		}
	}
}

// Unfollowed returns the interests that nobody has announced yet, for whoever asks the reader to take them up.
func (w *Watch) Unfollowed() []Interests {
	return w.interests(func(i *interest) bool { return i.since == notYet })
}

// Wanted returns all interests in the tables that have not been forgotten, sorted.
func (w *Watch) Wanted() []Interests {
	return w.interests(func(*interest) bool { return true })
}

func (w *Watch) interests(of func(*interest) bool) (all []Interests) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n, t := range w.tables {
		var wants []Want
		for want, i := range t.since {
			if !t.forgotten && of(i) {
				wants = append(wants, want)
			}
		}
		if len(wants) > 0 {
			slices.SortFunc(wants, compareWants)
			all = append(all, Interests{Table: n, Wants: wants})
		}
	}
	slices.SortFunc(all, func(a, b Interests) int { return strings.Compare(a.Table.String(), b.Table.String()) })
	return all
}

func compareWants(a, b Want) int {
	if a.Column != b.Column {
		return strings.Compare(a.Column, b.Column)
	}
	return int(a.Interest) - int(b.Interest)
}
