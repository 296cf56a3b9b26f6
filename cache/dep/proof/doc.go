// Package proof compares what [weir/cache/dep] says about values with what servers say: which characters and texts are
// equal under each collation, which stored values a literal finds, and how values look in the binlog. It is a package of
// its own, without code, so that the tests of dep itself need no servers.
package proof
