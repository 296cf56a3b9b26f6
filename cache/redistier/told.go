package redistier

import (
	"sync/atomic"
	"time"
)

// tellEvery is how often the log says that the same server is out.
const tellEvery = time.Minute

// told is what the log says of a server. A server may go out and come back several times a second: one that answers a probe in
// time, and is late with everything that is large. So that it is out is told at once, and then not again within tellEvery;
// that it is back is told if that it was out was. If it is out when that time is over, it is told then: the log never says
// for longer that a server is well that is not.
//
// Only the prober uses it, but for why.
type told struct {
	why atomic.Pointer[error] // what it did wrong last
	out bool
	at  time.Time // when it was last told to be out
}

// say reports whether it is to be told now that the server is out, or not.
func (t *told) say(out bool, now time.Time) bool {
	if out == t.out || out && now.Sub(t.at) < tellEvery {
		return false
	}
	if t.out = out; out {
		t.at = now
	}
	return true
}

func (n *nodes) tell(of *node, now time.Time) {
	out := of.open()
	switch {
	case !of.say(out, now):
	case out:
		n.log().Warn("a Redis server fails or is late; it is not asked until it is well again, and misses go to the servers", "addr", of.addr, "error", *of.why.Load())
	default:
		n.log().Info("a Redis server is back", "addr", of.addr)
	}
}
