package proxy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"weir/cache"
	"weir/proxy/explain"
	"weir/proxy/statement"
)

// cause is why a statement is not answered from the cache, or its result not kept.
type cause struct {
	// reason is the label of the metric that counts it; empty if there is no cause.
	reason, sentence, detail string
}

// explain says what happens to a statement that is sent now.
func (s *session) explain(ctx context.Context, text string, st statement.Statement) *explain.Explanation {
	s.directed = st.Directives.MaxStaleness
	defer func() { s.directed = 0 }()
	e := &explain.Explanation{Key: s.explainKey(), Staleness: s.explainStaleness(), Entry: explain.Entry{Tier: explain.Nowhere}}
	e.Tables, e.DependsOn, e.SoFar = []explain.Table{}, []explain.Dependency{}, s.soFar(st)
	if refusal := s.refuse(st); refusal != nil && !s.onlyAccessMode(st) {
		e.Verdict, e.Sentence, e.Detail = explain.Refused, explain.RefusedSentence, refusal.Message
		e.Reason = string(st.Reason)
		return e
	}
	if explainable(st) {
		e.Tables = s.explainTables(st.Tables)
	}
	if !st.Cacheable {
		e.Verdict = explain.NotCacheable
		s.say(e, cause{string(st.Reason), st.Reason.Sentence(), s.detailOf(st)})
		return e
	}
	what := s.explainReads(st)
	e.DependsOn = what.words
	s.explainEntry(ctx, e, text, what)
	s.judge(e, st, what)
	return e
}

func (s *session) say(e *explain.Explanation, c cause) {
	e.Reason, e.Sentence, e.Detail = c.reason, c.sentence, c.detail
}

// detailOf adds to what the analysis says of an unknown table that it is just being read again.
func (s *session) detailOf(st statement.Statement) string {
	if st.Reason == statement.UnknownTable && s.changing(st.Tables) {
		return st.Detail + ", whose definition is just being read again"
	}
	return st.Detail
}

// judge gives the verdict on a cacheable statement: what holds for the session, for Weir, and then for the result. As for the
// statement itself, a hit comes before everything that is about what is to be kept.
func (s *session) judge(e *explain.Explanation, st statement.Statement, what explained) {
	if s.hits(e.Entry, st) {
		e.Verdict, e.Sentence = explain.Cached, explain.CachedSentence
		return
	}
	c := s.causeInSession(st)
	if c.reason == "" {
		c = s.causeInStream(what)
	}
	switch {
	case c.reason != "":
		e.Verdict = explain.NotNow
	case e.Entry.Servable:
		e.Verdict, c.sentence = explain.Cached, explain.SecondSentence
	default:
		e.Verdict, c = s.causeInResult(e.SoFar, what)
	}
	s.say(e, c)
}

// hits reports whether the entry in memory would be the answer. A text with a directive is looked up only after its analysis.
func (s *session) hits(e explain.Entry, st statement.Statement) bool {
	return e.Tier == explain.InMemory && e.Servable && s.mayHit() && s.entitled() && (!st.Directives.Given || s.keepable(st))
}

// causeInResult looks at how results like this one have fared: if none was ever stored for what it was, this one will hardly be.
func (s *session) causeInResult(before explain.SoFar, what explained) (explain.Verdict, cause) {
	for _, why := range slices.Sorted(maps.Keys(before.Refused)) {
		if before.Stores == 0 && explain.Inherent(why) {
			return explain.NotNow, cause{why, explain.RefusalSentence(why), fmt.Sprintf("%d of the results so far, and none was stored", before.Refused[why])}
		}
	}
	if c := s.causeInYield(what); c.reason != "" {
		return explain.NotNow, c
	}
	return explain.Storable, cause{sentence: statement.Reason("").Sentence()}
}

// causeInSession is what [session.why] names, in more words. Where that has one label for several things they are told apart.
func (s *session) causeInSession(st statement.Statement) cause {
	if s.keepable(st) {
		return s.causeInObserving()
	}
	reason := s.why(st)
	inside := s.pinned != nil && s.pinned.inTransaction()
	c := cause{reason: reason, sentence: explain.SessionSentence(reason)}
	switch {
	case reason != explain.Session && reason != explain.Transaction:
		if s.pinned != nil && s.pins.locked {
			c = cause{explain.Session, explain.LockedSentence, ""}
		}
	case s.bypass != "" && reason == explain.Session:
		c.sentence, c.detail = explain.BypassSentence, s.bypass
	case s.assigned != nil:
		c.sentence = explain.AssignedSentence
	case s.doubts != nil:
		c.sentence = explain.DoubtsSentence
	case s.unsafe:
		c.sentence, c.detail = explain.UnsafeSentence, s.state.settings.unsafeReason()
	case s.pins.oneShot && !inside:
		c.sentence = explain.OneShotSentence
	case s.tx != nil:
		c.sentence = explain.SnapshotSentence
	}
	return c
}

func (s *session) causeInObserving() cause {
	if s.server.observing() {
		return cause{explain.Observing, explain.SessionSentence(explain.Observing), ""}
	}
	return cause{}
}

// causeInStream is for what [fill.run] looks at before it reads.
func (s *session) causeInStream(what explained) cause {
	ledger := s.server.cache.Ledger()
	would := fill{session: s, request: request{mark: ledger.Mark()}, need: ledger.Need(what.tags)}
	switch why := would.hopeless(); {
	case why != cache.Stored:
		return causeOf(why)
	case s.defaults.dirtyReads:
		return cause{string(cache.RefusedUnproved), explain.DirtySentence, "READ UNCOMMITTED"}
	case s.server.cache.Limit() == 0:
		return causeOf(cache.RefusedTooLarge)
	}
	return cause{}
}

func causeOf(why cache.Refusal) cause {
	return cause{string(why), explain.RefusalSentence(string(why)), ""}
}

// causeInYield is for results of which hardly any are used before a change ends them.
func (s *session) causeInYield(what explained) cause {
	now := s.server.cache.Ledger().Now()
	for _, d := range what.all {
		y := s.server.cache.Yield(d.Table.String(), d.Grain.String())
		if y.Paused(now) {
			c := causeOf(cache.RefusedNotPaying)
			c.detail = d.Table.String() + " by " + d.Grain.String() + ", for another " + y.Stats(now).Left.Round(time.Second).String()
			return c
		}
	}
	return cause{}
}
