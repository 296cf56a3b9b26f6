// Package gtid holds positions in the change stream of a MySQL or MariaDB server, as sets of transactions: what a
// server says that it has committed or applied, and whether a given transaction is among it.
//
// It is not for ordering. Sets are a partial order: of two replicas either may have what the other lacks, so there is
// no "less than" here, only Contains and Covers. The total order that Weir needs is cache.Seq.
//
// # Two flavours, one set
//
// A MySQL set lists intervals of transaction numbers for each source UUID, and since 8.3 for each tag of it. A
// MariaDB position lists, for each replication domain, the last transaction: it stands for every transaction of the
// domain up to that one. Both are kept as intervals of numbers in streams, a stream being a UUID with a tag or a
// domain, so that Contains, Covers and Union are the same code.
//
// # When a MariaDB position may be read so
//
// "Every transaction up to the last" holds while the sequence numbers of a domain increase in the binlog, whichever
// server they come from, and while whoever reports the position applies a domain in order. The server does the
// second: parallel replicas commit a domain in binlog order. The first is the rule that gtid_strict_mode enforces; it
// breaks when two servers write to one domain, or after gtid_seq_no was set by hand. Whoever reads the binlog must
// look out for a number that is not larger than the one before it in its domain, and stop trusting positions of that
// domain: this package cannot see it.
//
// # Invariants
//
//   - A set never claims a transaction that it was not told of. What does not fit, such as a transaction of the other
//     flavour, leaves the set as it is: it then claims less, which costs a cached result and never makes one stale.
//   - Text that is not understood is an error, never a smaller set.
//   - Intervals are kept merged and sorted, so equal sets print alike, and what is printed parses to an equal set.
package gtid
