package proxy

import "context"

// directedMark is set in the first byte of keys of texts with a directive. Those who look up a plain key have not read
// the text and know of no directive: such an entry must not be there for them. The texts are looked up here, after the
// remembered analysis has told the directive.
const directedMark = 0x80

// start answers a cacheable statement that was not a hit, or that says itself how old its answer may be.
func (f *fill) start(ctx context.Context) error {
	if f.session.server.observing() {
		return f.observe(ctx)
	}
	if f.request.st.Directives.Given {
		return f.directed(ctx)
	}
	return f.run(ctx)
}

// directed answers a statement with a directive: from the cache, under the statement's own bound, or by a fill under that
// bound.
func (f *fill) directed(ctx context.Context) error {
	s := f.session
	s.directed = f.request.st.Directives.MaxStaleness
	defer func() { s.directed = 0 }()
	f.key[0] |= directedMark
	if e := s.cached(f.key); e != nil {
		s.hit(e)
		s.last = f.request.said.clone()
		return f.write(e.Wire())
	}
	return f.run(ctx)
}
