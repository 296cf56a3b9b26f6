package proxy

import (
	"bytes"
	"context"
	"slices"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/explain"
)

// explainEntry says what there is for the statement: in memory, or else in the second tier, where a look promotes nothing.
func (s *session) explainEntry(ctx context.Context, e *explain.Explanation, text string, what explained) {
	key := s.explainedKey(text)
	i := s.server.cache.Inspect(key, s.bound())
	last := i.Changed
	switch {
	case s.server.observing(): // there is none, and what there would be is counted
	case i.Stored:
		e.Entry = s.entryInMemory(i, what)
	default:
		e.Entry = s.entryInSecond(ctx, key, what)
	}
	if last == 0 {
		last = s.server.cache.Ledger().LastOf(what.tags)
	}
	e.LastChange = s.explainChange(last, what)
}

// explainedKey is the key of the text, in memory of its own.
func (s *session) explainedKey(text string) []byte {
	key := bytes.Clone(s.makeKey([]byte(text)))
	if s.directed != 0 {
		key[0] |= directedMark
	}
	return key
}

func (s *session) entryInMemory(i cache.Inspection, what explained) explain.Entry {
	e := explain.Entry{
		Tier: explain.InMemory, Servable: i.Servable, Why: i.Why, Age: explain.SecondsOf(i.Age),
		AsOf: s.placeOf(i.AsOf.Seq), Hits: i.Hits, Bytes: i.Bytes, Rate: i.Rate,
	}
	if i.Why == cache.WhyChanged {
		e.Changed = what.said(i.Tag)
	}
	return e
}

// said says what a tag of the result stands for. An entry may have others than the analysis of now: then it was stored at
// another grain, because the interest in a finer one was new.
func (x *explained) said(t cache.Tag) string {
	if words := x.saying[t]; words != "" {
		return words
	}
	return "something that it was stored with, at another grain than now"
}

// entryInSecond looks into the second tier as [fill.second] does, and judges what it finds by the same rules, but promotes
// nothing. It counts as a lookup there.
func (s *session) entryInSecond(ctx context.Context, key []byte, what explained) explain.Entry {
	none := explain.Entry{Tier: explain.Nowhere}
	tier := s.server.cache.Second
	if tier == nil {
		return none
	}
	found, ok := tier.Find(ctx, key, 0)
	if !ok {
		return none
	}
	e := explain.Entry{
		Tier: explain.InRedis, Age: explain.SecondsOf(found.Age), AsOf: s.placeOf(found.At.Seq), Bytes: int64(len(found.Wire)),
	}
	ledger := s.server.cache.Ledger()
	need := ledger.Need(append(found.Tags, what.tags...))
	switch {
	case found.At.Epoch != need.Epoch:
		e.Why = cache.WhyOtherEpoch
	case found.At.Seq < need.Seq:
		e.Why = cache.WhyChanged
	case !ledger.Current(ledger.Now(), s.bound()):
		e.Why = cache.WhyNotCurrent
	default:
		e.Servable = true
	}
	return e
}

// placeOf gives a place with the source's name for it, if the transaction that ends there is remembered.
func (s *session) placeOf(seq cache.Seq) explain.Place {
	p := explain.Place{Seq: seq.String()}
	if s.server.remembered == nil {
		return p
	}
	if c, ok := s.server.remembered(seq); ok {
		p.Position = c.Position
	}
	return p
}

// explainChange says what is remembered of the transaction at seq; nil if nothing has changed as far as is known. Without an
// entry the ledger may know no more than that the last change was no later. Of the tables only those are named that the
// statement reads: the account may not know of others.
func (s *session) explainChange(seq cache.Seq, what explained) *explain.Change {
	if seq == 0 {
		return nil
	}
	c := explain.Change{Place: explain.Place{Seq: seq.String()}}
	if s.server.remembered != nil {
		if known, ok := s.server.remembered(seq); ok {
			c = known
			c.Seq, c.Ago = seq.String(), explain.SecondsOf(max(time.Since(c.Recorded), 0))
		}
	}
	read := []explain.TableChange{}
	for _, t := range c.Tables {
		if slices.ContainsFunc(what.all, func(d dep.Dependency) bool { return d.Table.String() == t.Name }) {
			read = append(read, t)
		}
	}
	c.Tables = read
	return &c
}
