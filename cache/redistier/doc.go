// Package redistier is tier 2: results in Redis or Valkey, where other Weirs find them, and this one after a restart.
//
// # What it is not trusted with
//
// Redis may lose a value, keep one for ever, give back one of yesterday, or land a write long after it timed out. None of
// that makes an answer stale, since nothing is ever deleted for correctness and nothing is believed on the way back: a value
// says at which [cache.Place] its result was read and what it depends on, and whoever finds it judges it by a ledger of its
// own. A value that says what is not so would have to be made on purpose: whoever may write to this Redis may write answers,
// as whoever may write to the source may. So it belongs behind the same walls.
//
// # What it may cost
//
// [Tier.Find] waits for Redis no longer than the budget, whatever Redis does: its deadline is that of the connection, too.
// What comes after is the unpacking of a value that came in time, which is work and no wait, about a millisecond for each
// MiB that was compressed. A server that fails or is late a few times in a row is asked nothing more, until a prober in the
// background has had good answers from it. [Tier.Offer] never waits. Statements that a server answers faster than Redis
// are neither looked up nor written.
//
// # The life of a value
//
//  1. A result was stored in memory and is offered. It waits in a queue that is bounded, and is dropped if that is full.
//  2. A writer asks [cache.Places] where in the source's history its mark is; if that cannot be told, it is not written.
//  3. It is encoded, compressed if that is worth it, and written with a time to live, which does no more than bound Redis's
//     memory.
//  4. Another Weir has a miss. It asks for the value by a hash of the key, together with who else asks just then.
//  5. What comes back is checked: its shape, its checksum, the whole key, and whether its place is one in the history that is
//     followed. Whatever is odd about it makes it a miss.
//
// Beside values, Weirs leave [Notes] for each other: where they are in the stream, and what they watch.
//
// # Cluster
//
// Each master has a breaker, and those who ask, a queue of its own, so that one that is sick holds up only those whose keys it
// has. MOVED and ASK are followed by the client. Nothing is read from replicas.
//
// # Who may call
//
// Everything here may be called from any number of goroutines, but for Run and Close, which are called once.
package redistier
