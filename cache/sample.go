package cache

import "context"

// Sampler asks one server what it has applied. All fills from that server share it.
type Sampler interface {
	// Sample returns a mark such that everything up to it was visible on the server to every statement that starts
	// after Sample was called. It answers from what it knows if that already covers need, so that a server is asked
	// only when something that a fill depends on has changed; the result may be before need if the server lags. An
	// error means that nothing can be proved, and the result must not be stored. It may block until ctx ends, and
	// may be called from many goroutines.
	Sample(ctx context.Context, need Mark) (Mark, error)
}
