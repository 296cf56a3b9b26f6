package proxy

import (
	"context"
	"errors"

	"weir/cache"
	"weir/proxy/wire"
)

// keep stores the response, and returns what joiners may have: also an entry that the store did not want.
func (f *fill) keep(c *conn, r *response) *cache.Entry {
	e, why := f.entry(c, r)
	s := f.session
	if e == nil {
		s.server.cache.Refuse(why)
		f.notStored(why)
		return nil
	}
	if why = s.server.cache.Put(e, s.bound()); why == cache.Stored {
		f.stored(len(r.buf))
	}
	f.offer(e, why, r.took)
	f.notStored(why)
	return e
}

// asOf asks what the backend has applied. The connection comes first: its age proves that the server which answers the
// sampler is the one that will answer the statement. The zero mark proves nothing.
func (f *fill) asOf(ctx context.Context, c *conn) cache.Mark {
	at, ok := f.session.applied(ctx, c, f.need)
	if !ok || at.Epoch != f.request.mark.Epoch {
		return cache.Mark{}
	}
	at.Seq = min(at.Seq, f.request.mark.Seq)
	return at
}

// applied asks what the server has applied that c leads to; false if nothing can be proved.
func (s *session) applied(ctx context.Context, c *conn, need cache.Mark) (at cache.Mark, ok bool) {
	if c.backend.sampler == nil {
		return cache.Mark{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, s.server.cfg.MaxStaleness) // a client waits
	defer cancel()
	at, server, err := c.backend.sampler.Sample(ctx, need, c.since)
	c.backend.sampled(err, s.server.log)
	if errors.Is(err, ErrErrant) {
		c.backend.goErrant(err, s.server)
	}
	c.elsewhere = err == nil && server != c.server
	return at, err == nil && server == c.server
}

// entry makes an entry of the response, or says why it is none.
func (f *fill) entry(c *conn, r *response) (*cache.Entry, cache.Refusal) {
	switch {
	case r.kind == wire.KindError:
		return nil, cache.RefusedError
	case r.kind != f.kind || r.results != 1:
		return nil, cache.RefusedOtherRows
	case r.warnings != 0:
		return nil, cache.RefusedWarnings
	case !r.whole:
		return nil, cache.RefusedTooLarge
	case f.at == cache.Mark{} || c.defaults.dirtyReads || !f.session.adopt(f.session.sameAccount(c.defaults)) || c.inTransaction():
		return nil, cache.RefusedUnproved
	}
	r.normalize()
	e := f.entryOf(r.buf, f.at)
	e.Private = c.defaults.account != f.session.defaults.account
	return e, cache.Stored
}

// entryOf makes an entry of the statement's result, which contains every change up to at.
func (f *fill) entryOf(result []byte, at cache.Mark) *cache.Entry {
	reads := f.session.readsAt(f.reads, at.Seq)
	var e *cache.Entry
	if f.ghost {
		e = cache.NewGhost(f.key, len(result), reads.tags, at)
	} else {
		e = cache.NewEntry(f.key, result, reads.tags, at)
	}
	e.Label = uint64(f.label)
	e.Anchors, e.Shares, e.Versioned = reads.anchors, reads.shares, f.request.st.Versioned
	return e
}

// adopt reports whether the connection started with the settings that the session's keys are made for. If not, it
// changes them for the next statement.
func (s *session) adopt(d defaults) bool {
	if d == s.defaults {
		return true
	}
	s.defaults, s.calledSince = d, s.server.accounts()
	s.account.called.Store(&d.account)
	s.server.setDefaults(d)
	s.makePrefix()
	return false
}

// sameAccount returns the defaults with the session's own name of its account, unless something about accounts has changed
// since that was adopted. If servers took turns in changing it, nothing would be stored of what they take turns in reading.
func (s *session) sameAccount(d defaults) defaults {
	if s.defaults.account != "" && s.calledSince == s.server.accounts() {
		d.account = s.defaults.account
	}
	return d
}
