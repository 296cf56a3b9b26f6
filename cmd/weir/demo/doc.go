// Package demo is weir demo: a shop on real servers, read through Weir while others write to its source.
//
// It is for seeing what Weir does, and whether it tells the truth, on one machine and in a minute. It is not a
// benchmark: clients, Weir and both servers share the machine's cores.
//
// # The life of one run
//
//  1. A source and a replica start, with a shop of a few hundred thousand rows.
//  2. Weir starts, in this process, in front of both.
//  3. Readers ask through Weir what a shop asks, mostly the popular things; writers sell, ship and change prices on
//     the source, mostly the popular things, too. Meanwhile a prober measures how long a change takes to be seen
//     through Weir, and an auditor compares answers with the source's. Each second has its line.
//  4. The load ends. Every popular statement is compared with the source once more.
//  5. Weir ends, and the same readers and writers run without it.
//  6. The summary compares both, and the servers go, with all their files. They go after an error and an
//     interruption, too.
//
// # What is counted, and how
//
//   - Latencies are a client's: from sending a statement to having read its answer.
//   - The hit ratio is that of the readers. What the prober and the auditor ask through Weir is taken off the hits as
//     if all of it had been hits, so that the ratio shown is never too high.
//   - The lag is a client's, too: from the moment that a commit has returned on the source to the moment that an answer
//     with the new value has come through Weir. It contains that answer's own latency, and replication's if a replica
//     answered.
//   - An answer is stale if it lacks a change that had been committed for max_staleness when it was asked for. How the
//     auditor knows that without comparing clocks or stopping the writers is said at [auditor].
//   - A replica that is itself behind by more than max_staleness gives old answers to everybody, and Weir passes them on
//     (it does not keep them). They are counted on their own.
package demo
