// Package check looks at the servers that a configuration names, and says what of their settings, privileges, tables and
// state matters to Weir, why, and what mends it. It is what `weir check` runs.
//
// It changes nothing, anywhere. It is not what keeps Weir from starting: that is replicator's Source.Check, whose pieces
// are asked here, so that what is an error there is one here.
//
// # The life of a check
//
//  1. [Look] asks: each server, Redis, the ports, the file. What it brings is a [World]: facts, and nothing judged. What cannot be
//     asked is missing there, with the reason, and never an end.
//  2. [Judge] holds each rule against the facts. A rule is a function of the facts alone, so that a test needs no server.
//  3. [Report.Print] writes the findings for people, [Report.JSON] for programs.
//
// # Invariants
//
//   - An id means the same for ever; docs/check.md lists all of them, with what can be said under each.
//   - No finding has a password, or more names of tables than a person reads.
//   - A rule that lacks its facts says nothing: "ok" is said only of what was seen.
package check
