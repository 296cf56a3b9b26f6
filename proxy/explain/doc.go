// Package explain has the answer of EXPLAIN CACHE: what Weir does with a statement of one session, now, and why. It is for the
// proxy, which fills it in, and for weir explain, which reads it from JSON and shows it. It decides nothing: each of its values is
// told by whoever decides.
//
// Two forms have the same content. [Explanation] as JSON has keys that are a contract, see docs/explain.md: none is ever
// missing, and what there is none of is null, empty or zero. [Explanation.Items] is a list of names and values in an order that
// does not change, for the mysql client, and for a terminal.
//
// An explanation has values of literals, which are the asker's own. It goes to the session that asks, and nowhere else: not into
// logs, metrics or pages.
package explain
