// Package ddlload measures what readers notice of a schema change, and what the schema change notices of readers, with
// Weir and without it. It is a test: a small run is part of make test and asserts that the measuring works and that answers
// are right, never how fast anything is. make ddl-load does the run with figures and plots.
//
// # What is measured
//
// One server, which is the source and the only backend, with a large table and a pool of statements over it, the hot set.
// Readers ask at a fixed rate, a share of what the server alone can do: first they are sent to the server, then through
// Weir, each time while one statement after the other changes the schema. The rate is the same in both.
//
// Requests are due at moments that do not depend on when answers come (an open loop). What is due while all readers wait is
// asked late and its waiting counts from when it was due, so that a stall is seen in full: in the throughput of its seconds,
// in the latencies, and in the backlog that keeps a second after it from counting as recovered.
//
// Every answer is compared with what the server said before the run, unless the schema change is to be seen in it. Those
// statements, and all others, are compared with the server again after each change.
package ddlload
