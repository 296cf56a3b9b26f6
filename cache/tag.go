package cache

// Tag names something that a result can depend on and that a change can touch: a table, a schema, everything.
// It is a 64-bit hash; package dep makes them. Two things with one tag can only make each other look newer.
type Tag uint64
