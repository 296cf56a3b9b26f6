package proxy

import (
	"bytes"
	"context"
	"errors"

	"weir/cache"
	"weir/proxy/digest"
	"weir/proxy/wire"
)

// fill is one read of a cacheable statement from a backend.
type fill struct {
	session *session
	request request
	kind    wire.Kind // what the response must be to be kept
	key     []byte
	depends func(*request) reads // works out reads
	reads   reads
	need    cache.Mark // what a snapshot must contain for the answer to be servable
	at      cache.Mark // what it is known to contain; zero if nothing
	again   bool       // it has waited for a read that was given up
	class   cache.Class
	label   digest.Label
	ghost   bool // nothing is stored but that it would have been, see observe.go
	// deliver, if not nil, sends a result set to the client, in place of writing it as it is. It may keep it.
	deliver func(result []byte) error
	// tooLarge, if not nil, answers the client when the response turns out to be too large to be kept, in place of
	// streaming it.
	tooLarge func() error
}

func (s *session) newFill(key []byte, q request, depends func(*request) reads) *fill {
	f := &fill{session: s, request: q, kind: wire.KindResultSet, key: key, depends: depends, label: s.label(q.st)}
	f.settle()
	f.classify()
	return f
}

// settle works out what the answer depends on, from the request's analysis.
func (f *fill) settle() {
	f.reads = f.depends(&f.request)
	f.need = f.reads.need(f.session.server.cache.Ledger())
}

// renew takes mark and analysis anew, after a wait at the gate.
func (f *fill) renew(ctx context.Context) {
	f.session.renew(ctx, &f.request)
	if f.session.keepable(f.request.st) {
		f.settle()
	}
}

// run reads from a backend and stores the answer, or joins somebody who is just doing so.
func (f *fill) run(ctx context.Context) error {
	if why := f.hopeless(); why != cache.Stored {
		return f.unkept(ctx, why)
	}
	s := f.session
	ledger := s.server.cache.Ledger()
	flight, lead := s.server.cache.Join(f.key, f.need)
	if lead {
		if e := f.readByNow(); e != nil {
			s.server.cache.Land(flight, e)
			return f.hit(e)
		}
		return f.lead(ctx, flight)
	}
	e, err := flight.Wait(ctx, f.need)
	if err != nil {
		return s.backendError(err, &response{})
	}
	if e == nil && flight.Abandoned() {
		f.need, f.again = f.reads.need(ledger), true
		return f.run(ctx)
	}
	if e == nil {
		e = s.cached(f.key) // see second.go
		if e != nil {
			return f.hit(e)
		}
	}
	if e == nil || !s.entitled() {
		f.missed()
		f.notStored(cache.RefusedBehind)
		return s.pass(ctx, f.request)
	}
	s.server.cache.Joined()
	s.counters.joined.Add(1)
	f.countJoined()
	s.last = f.request.said
	return f.write(e.Wire())
}

// hopeless says why the answer would not be stored in any case; empty if it may be.
func (f *fill) hopeless() cache.Refusal {
	s, ledger := f.session, f.session.server.cache.Ledger()
	switch {
	case s.fenced():
		return cache.RefusedOwnWrite
	case !ledger.Current(ledger.Now(), s.bound()):
		return cache.RefusedNoStream
	case f.need.Epoch != f.request.mark.Epoch: // the stream has just started anew
		return cache.RefusedUnproved
	}
	return cache.Stored
}

// readByNow returns what another has stored who waited for the same flight, which was given up. Whoever leads stores before
// its flight lands, so that there is no moment at which neither the flight nor the entry is found.
func (f *fill) readByNow() *cache.Entry {
	if !f.again {
		return nil
	}
	return f.session.cached(f.key)
}

// hit answers from the cache after all.
func (f *fill) hit(e *cache.Entry) error {
	f.session.hit(e)
	f.session.last = f.request.said
	return f.write(e.Wire())
}

// write sends a result set that stays as it is.
func (f *fill) write(result []byte) error {
	if f.deliver != nil {
		return f.deliver(result)
	}
	return f.session.writeSlowly(result)
}

func (f *fill) unkept(ctx context.Context, why cache.Refusal) error {
	f.countMiss()
	f.session.server.cache.Refuse(why)
	f.notStored(why)
	return f.session.pass(ctx, f.request)
}

// errTooLarge says that a response is not to be kept, and nothing of it has been written.
var errTooLarge = errors.New("the response is larger than query_cache_limit")

// lead reads, stores, and answers the client and everybody who joined. The flight lands before the client is written
// to: a client that reads slowly holds nobody up.
func (f *fill) lead(ctx context.Context, flight *cache.Flight) error {
	s := f.session
	s.running.leads(flight)
	land := f.landing(ctx, flight)
	defer land(nil)
	if e := f.second(ctx); e != nil {
		land(e)
		s.counters.second.Add(1)
		return f.hit(e)
	}
	return f.fetch(ctx, flight, land)
}

// fetch reads from a server, and stores. The flight may be nil.
func (f *fill) fetch(ctx context.Context, flight *cache.Flight, land func(*cache.Entry)) error {
	s := f.session
	f.missed()
	s.server.metrics.fills.WithLabelValues(f.reads.grain().String()).Inc()

	f.request.clean = true
	p, err := s.enterGate(ctx, &f.request, func() { f.renew(ctx) })
	if err != nil {
		return s.backendError(err, &response{})
	}
	defer p.end()
	if !s.keepable(f.request.st) { // any more
		land(nil)
		return f.unkeepable(ctx, p)
	}
	return f.read(ctx, flight, land, p)
}

// landing returns what ends the flight, once, with what it brought.
func (f *fill) landing(ctx context.Context, flight *cache.Flight) (land func(*cache.Entry)) {
	s, landed := f.session, false
	return func(e *cache.Entry) {
		if landed {
			return
		}
		landed = true
		if s.running.interrupted() != nil || ctx.Err() != nil || s.absence != nil && e == nil {
			flight.Abandon()
		}
		s.server.cache.Land(flight, e)
	}
}

// unkeepable passes on, inside the gate, what has turned out there not to be stored.
func (f *fill) unkeepable(ctx context.Context, p *passage) error {
	s := f.session
	f.request.clean = false
	s.server.metrics.notCacheable(s.why(f.request.st)) // its statement counts it as a miss
	if s.absence != nil {
		return s.absence.passed()
	}
	return s.passInside(ctx, f.request, p)
}

// read is the part of lead inside the gate.
func (f *fill) read(ctx context.Context, flight *cache.Flight, land func(*cache.Entry), p *passage) error {
	s, stream := f.session, p.streaming(f.session.writeSlowly)
	buf := getBuffer()
	defer putBuffer(buf)
	r := response{hold: int(s.server.cache.Limit()), buf: (*buf)[:0], out: func(b []byte) error {
		land(nil) // too large to be kept: nobody need wait for the rest
		if f.tooLarge != nil || s.absence != nil {
			return errTooLarge
		}
		return stream(b)
	}}
	q := f.request
	q.before = func(c *conn) {
		f.at = f.asOf(ctx, c)
		if flight != nil {
			flight.Sampled(f.at)
		}
	}
	c, err := s.ask(ctx, q, &r)
	p.end()
	*buf = r.buf
	if errors.Is(err, errTooLarge) {
		return f.refuseLarge()
	}
	if err != nil {
		return s.backendError(err, &r)
	}
	land(f.keep(c, &r))
	if s.pinned != nil {
		s.aside(c, q.said, &r)
	} else {
		s.done(c, q.said, q.st, &r)
	}
	if f.deliver != nil && r.kind == wire.KindResultSet && r.results == 1 {
		return f.deliver(bytes.Clone(r.buf))
	}
	return s.writeSlowly(r.buf)
}

// refuseLarge answers when nothing of a response that is too large was written.
func (f *fill) refuseLarge() error {
	f.session.server.cache.Refuse(cache.RefusedTooLarge)
	f.notStored(cache.RefusedTooLarge)
	if f.session.absence != nil {
		return nil
	}
	return f.tooLarge()
}
