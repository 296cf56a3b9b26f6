// Package timeline keeps what became of the last schema changes: when each was seen, began, was committed, recorded and
// applied by each replica, what it cost the cache and the servers, and how long the refill took. It is for people, for
// dashboards and for metrics; nothing is decided by it.
//
// A schema change is told by two witnesses that do not know of each other: somebody who sees it run on a server
// ([Timeline.Started], [Timeline.Vanished]), and the binlog ([Timeline.Recorded]). They are joined if they tell of the
// same server, kind and tables at times that fit. Either may come first:
//
//  1. The servers are asked what they run, and the source answers: ALTER TABLE t.
//  2. The ALTER is committed, and its event is recorded.
//  3. The answer of step 1 is told.
//
// Step 3 must not make a second event that never ends: it is joined with the first, which has no beginning yet. And:
//
//  1. The ALTER is committed, and the servers are asked what they run: it has vanished.
//  2. Its event comes, some seconds later if the stream is behind.
//
// So one that has vanished may still turn out to be committed. One that does not was killed or has failed, or ran on a
// replica by itself.
//
// The texts of statements are kept as they are, up to 1 KiB, with the literals in them. Those of account statements must
// come without secrets.
package timeline
