package proxy

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache"
	"weir/proxy/digest"
	"weir/proxy/wire"
)

// maxAudits is how many results may be audited in a minute.
const maxAudits = 6000

// auditOutcome is the label of weir_audit_total; docs/metrics.md says what each means.
type auditOutcome string

const (
	auditEqual        auditOutcome = "equal"
	auditOrder        auditOutcome = "order"
	auditChanged      auditOutcome = "changed"
	auditUnread       auditOutcome = "unread"
	auditUndetermined auditOutcome = "undetermined"
	auditDifferent    auditOutcome = "different"
)

func newAuditMetrics() *prometheus.CounterVec {
	m := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "weir_audit_total",
		Help: "Results in the cache that a backend was asked for once more, by how the answers compare: equal, order, changed meanwhile, unread, undetermined, or different.",
	}, []string{"outcome"})
	for _, o := range [...]auditOutcome{auditEqual, auditOrder, auditChanged, auditUnread, auditUndetermined, auditDifferent} {
		m.WithLabelValues(string(o))
	}
	return m
}

// Audit asks a backend once more for a result that is in the cache, and compares. It shows whether the rule holds, and does
// not rest on the rule alone: changes that were never recorded, or whose tags were not those of the result, are what it is
// for.
//
//  1. The result may be served. It is read again, from a backend that has all that is recorded for its tables; the
//     answer comes at the moment t.
//  2. The ledger is complete as of t: what the backend may have shown is recorded.
//  3. The result may still be served. So nothing that it depends on has changed up to t, and both are of the same rows.
//
// A change between 1 and 3 makes the result unservable, and nothing is compared. A difference counts only if a second
// answer is the same as the first: some statements have no one answer. Then what was read takes the place of the result.
// It may be called from any goroutine while Serve runs.
func (s *Server) Audit(ctx context.Context, e *cache.Entry) string {
	outcome := s.audit(ctx, e)
	s.metrics.audits.WithLabelValues(string(outcome)).Inc()
	return string(outcome)
}

func (s *Server) audit(ctx context.Context, e *cache.Entry) auditOutcome {
	first, err := s.readForAudit(ctx, e.Key())
	switch {
	case err != nil:
		return auditUnread
	case !s.holdsAfter(ctx, e):
		return auditChanged
	case !s.covers(first, e):
		return auditUnread
	case bytes.Equal(first.Wire(), e.Wire()):
		return auditEqual
	case sameRows(first.Wire(), e.Wire()):
		return auditOrder
	}
	second, err := s.readForAudit(ctx, e.Key())
	switch {
	case err != nil:
		return auditUnread
	case !s.holdsAfter(ctx, e):
		return auditChanged
	case !s.covers(second, e):
		return auditUnread
	case !sameRows(first.Wire(), second.Wire()):
		return auditUndetermined
	}
	s.foundDifferent(e, second)
	return auditDifferent
}

// covers reports whether what was read is known to contain the last change to what e depends on.
func (s *Server) covers(read, e *cache.Entry) bool {
	return read.At.Seq >= s.cache.Ledger().LastOf(e.Tags)
}

// foundDifferent tells, without what the statement says, and stops the result from being served.
func (s *Server) foundDifferent(e, now *cache.Entry) {
	s.log.Error("a cached result is not what a backend answers; the answer has taken its place",
		"statement", s.digests.Text(digest.Label(e.Label)), "key", fmt.Sprintf("%016x", cache.Hash(e.Key())), "bytes", len(e.Wire()), "as_of", e.At.Seq, "answer_as_of", now.At.Seq)
	s.cache.Put(now, s.cfg.MaxStaleness)
}

// readForAudit asks a backend for the result of a text's key, and stores nothing.
func (s *Server) readForAudit(ctx context.Context, key []byte) (read *cache.Entry, err error) {
	err = s.inAbsence(ctx, key, func(ctx context.Context, sess *session, q question) error {
		if q.protocol != protocolText || key[0]&directedMark != 0 {
			return fmt.Errorf("%w: it is not of a text alone", ErrNotRefillable)
		}
		sess.absence.audits = true
		if err := sess.pose(ctx, q, key); err != nil {
			return err
		}
		read = sess.absence.read
		if read == nil || !bytes.Equal(read.Key(), key) {
			return sess.absence.outcome()
		}
		return nil
	})
	return read, err
}

// audit is what a fill does in place of run: it reads alone, whatever is under way, and hands over what it has read.
func (f *fill) audit(ctx context.Context) error {
	s := f.session
	f.request.clean = true
	p, err := s.enterGate(ctx, &f.request, func() { f.renew(ctx) })
	if err != nil {
		return s.backendError(err, &response{})
	}
	defer p.end()
	if !s.keepable(f.request.st) {
		return s.absence.passed()
	}
	r := response{hold: int(s.server.cache.Limit()), out: func([]byte) error { return errTooLarge }}
	q := f.request
	q.before = func(c *conn) { f.at = f.asOf(ctx, c) }
	c, err := s.ask(ctx, q, &r)
	p.end()
	if err != nil {
		return s.backendError(err, &r)
	}
	read, why := f.entry(c, &r)
	if f.at.Seq < f.need.Seq {
		read, why = nil, cache.RefusedBehind
	}
	s.absence.read, s.absence.why = read, why
	if s.pinned != nil {
		s.aside(c, q.said, &r)
	} else {
		s.done(c, q.said, q.st, &r)
	}
	return nil
}

const (
	// holdsPause is how long holdsAfter waits between two looks, and holdsWithin how long it looks.
	holdsPause, holdsWithin = 10 * time.Millisecond, 5 * time.Second
)

// holdsAfter reports whether e may be served once everything is recorded that was committed before the call.
func (s *Server) holdsAfter(ctx context.Context, e *cache.Entry) bool {
	ledger := s.cache.Ledger()
	moment := ledger.Now()
	ctx, cancel := context.WithTimeout(ctx, holdsWithin)
	defer cancel()
	for {
		if _, ok := ledger.MarkAsOf(moment); ok {
			return ledger.Fresh(e, ledger.Now(), s.cfg.MaxStaleness)
		}
		select {
		case <-time.After(holdsPause):
		case <-ctx.Done():
			return false
		}
	}
}

// sameRows reports whether two results have the same packets, in whatever order. Sequence numbers, which count packets, are
// left out.
func sameRows(a, b []byte) bool {
	return len(a) == len(b) && slices.EqualFunc(packets(a), packets(b), bytes.Equal)
}

func packets(result []byte) (all [][]byte) {
	for len(result) > 0 {
		raw, rest, err := wire.Split(result)
		if err != nil {
			return append(all, result)
		}
		all, result = append(all, raw[wire.HeaderSize:]), rest
	}
	slices.SortFunc(all, bytes.Compare)
	return all
}
