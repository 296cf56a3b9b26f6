package proxy

import (
	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/statement"
)

// reads is what an answer depends on, worked out before it is read from a server.
//
// The finer tags are touched only from the Seq on at which the binlog's reader has taken up the interest in them:
//
//  1. The source is at 90. A fill samples a replica, which is at 80.
//  2. The fill takes up its interest in rows by id, at 90.
//  3. The replica answers as of 80. The row had changed at 85, when nobody was interested: no tag of it was touched.
//  4. The entry has AsOf 80, before the interest: it depends on the table, which was touched at 85, and is not servable.
type reads struct {
	tags    []cache.Tag
	anchors int
	shares  []cache.Share
	// since is where in the stream all interests of the tags are followed. An answer from before it depends on all, as a
	// whole.
	since cache.Seq
	all   []dep.Dependency
}

// readsOf takes up the interests that belong to the dependencies. An interest that comes later than the mark comes too
// late for this answer in any case.
func (s *session) readsOf(all []dep.Dependency, mark cache.Mark) reads {
	var since cache.Seq
	for i, d := range all {
		if d.Grain == dep.ByTable {
			continue
		}
		if from := s.server.interest.Want(d.Table, d.Wants); from > mark.Seq {
			all[i] = d.Coarse()
		} else {
			since = max(since, from)
		}
	}
	r := s.told(all)
	r.since = since
	return r
}

// told gives the tags of dependencies, and says which tables have a share in them.
func (s *session) told(all []dep.Dependency) reads {
	r := reads{all: all, shares: make([]cache.Share, len(all))}
	r.tags, r.anchors = dep.TagsOf(all)
	for i, d := range all {
		n := len(d.Tags)
		if d.Grain == dep.ByTable {
			n = 1
		}
		r.shares[i] = cache.Share{Yield: s.server.cache.Yield(d.Table.String(), d.Grain.String()), Tags: n}
	}
	return r
}

// grain is that of the table on which the answer depends most coarsely.
func (r *reads) grain() dep.Grain {
	g := dep.ByRow
	for _, d := range r.all {
		g = min(g, d.Grain)
	}
	return g
}

// need is what a snapshot must contain for the answer to be servable: the last change to what it depends on, and the
// moment of the last interest, so that the finer tags may be relied on.
func (r *reads) need(ledger *cache.Ledger) cache.Mark {
	m := ledger.Need(r.tags)
	m.Seq = max(m.Seq, r.since)
	return m
}

// readsAt are the reads of an answer as of seq.
func (s *session) readsAt(r reads, seq cache.Seq) reads {
	if seq >= r.since {
		return r
	}
	all := make([]dep.Dependency, len(r.all))
	for i, d := range r.all {
		all[i] = d.Coarse()
	}
	return s.told(all)
}

// depends returns what the answer to a statement depends on, with these values of parameters.
func (s *session) depends(st statement.Statement, values []dep.Literal) []dep.Dependency {
	if s.server.cfg.Precision == ByTable || st.Plan == nil || !s.plain() {
		return st.Whole()
	}
	return st.Plan.Dependencies(st.Constants(values))
}
