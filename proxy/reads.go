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
	since   cache.Seq
	// coarse are the tags, and as many anchors, for an answer from before since.
	coarse []cache.Tag
	grain  dep.Grain // the coarsest of all tables
}

// readsOf takes up the interests that belong to the dependencies. An interest that comes later than the mark comes too
// late for this answer in any case.
func (s *session) readsOf(all []dep.Dependency, mark cache.Mark) reads {
	r := reads{grain: dep.ByRow}
	coarse := make([]dep.Dependency, len(all))
	for i, d := range all {
		coarse[i] = d.Coarse()
		if d.Grain != dep.ByTable {
			since := s.server.interest.Want(d.Table, d.Wants)
			if since > mark.Seq {
				all[i] = coarse[i]
			} else {
				r.since = max(r.since, since)
			}
		}
		r.grain = min(r.grain, all[i].Grain)
	}
	r.tags, r.anchors = dep.TagsOf(all)
	r.coarse = r.tags
	if r.grain != dep.ByTable || len(all) > 1 {
		r.coarse, _ = dep.TagsOf(coarse)
	}
	return r
}

// need is what a snapshot must contain for the answer to be servable: the last change to what it depends on, and the
// moment of the last interest, so that the finer tags may be relied on.
func (r *reads) need(ledger *cache.Ledger) cache.Mark {
	m := ledger.Need(r.tags)
	m.Seq = max(m.Seq, r.since)
	return m
}

// at returns the tags of an answer as of seq.
func (r *reads) at(seq cache.Seq) []cache.Tag {
	if seq < r.since {
		return r.coarse
	}
	return r.tags
}

// depends returns what the answer to a statement depends on, with these values of parameters.
func (s *session) depends(st statement.Statement, values []dep.Literal) []dep.Dependency {
	if s.server.cfg.Precision == ByTable || st.Plan == nil {
		return dep.ByTables(st.Tables)
	}
	return st.Plan.Dependencies(st.Constants(values))
}
