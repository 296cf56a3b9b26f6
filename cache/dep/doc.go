// Package dep is the vocabulary that both sides of Weir must agree on: how a table or a schema becomes a
// [cache.Tag]. The statement analysis turns what a SELECT reads into tags, the replicator turns what a transaction
// changed into tags, and only because both ask this package do they meet.
//
// Names are folded to lower case on both sides. On a server where T and t are two tables, a change to one then also
// touches results of the other: safe, and rare. The opposite mistake would be a stale read.
package dep
