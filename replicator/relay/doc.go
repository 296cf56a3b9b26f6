// Package relay lets many Weirs follow one source with one connection to its binlog: a [Relay] reads it and publishes the
// transactions to a Redis stream, and a [Consumer] in each Weir builds its ledger from that.
//
//	source ──▶ replicator.Reader ──▶ Publisher ──▶ ddlwatch ──▶ recorder ──▶ the relay's own ledger
//	                                     │
//	                                     ▼
//	                              a stream in Redis ──▶ Consumer ──▶ ddlwatch ──▶ recorder ──▶ a Weir's ledger
//
// What is published is the transaction as the binlog's reader has made it: what it has not understood, each consumer does
// not understand by itself, with the catalogue that it has at that place. So the rule, and all that stands behind it, is
// the same as for a Weir that reads the binlog; only how it knows that nothing is missing is another.
//
// # What always holds
//
//   - Redis is trusted with nothing. Entries have a checksum, a number, and say where the changes before them end: what is
//     lost, cut off, brought back or garbled begins a new epoch at the next checkpoint, with nothing known. See [Consumer].
//   - A consumer is complete as of a moment only if the relay has said so, in answer to a question that it cannot have
//     known before that moment, and if everything up to there is applied. Silence says nothing. See answerer.
//   - The relay never waits for Redis, so that its own ledger, by which it knows how far it is, and the source's connection
//     are as they would be without consumers. See [Publisher].
//   - Two relays that publish at one time cost epochs, and no truth. See [Publisher.Send].
//   - Rows are decoded for what consumers have left as their interests, and a consumer relies on one only from the Seq on
//     that was announced to it. See [dep.NewRemoteWatch].
package relay
