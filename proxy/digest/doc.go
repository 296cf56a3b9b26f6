// Package digest counts what clients do by statement, as performance_schema's statement digests do: all texts count as one
// that differ in their literals alone. It says what each of them costs at servers, and what the cache saves of that.
//
// # The life of a count
//
//  1. A miss has analysed its text, and the analysis names its digest. [Table.Of] finds the digest's row, or gives it one,
//     and returns a [Label].
//  2. What the miss does is noted by the label: [Table.Miss], [Table.Stored] and so on, under the lock of the row.
//  3. The entry that it stores carries the label, see [cache.Entry]. A hit has nothing but that entry: [Table.Hit] compares
//     a number and adds one to a counter, without a lock or an allocation, and never waits.
//
// # What is bounded
//
// There are [MaxDigests] rows, and one more for all others. A row that is needed for another digest goes on to that, and its
// counts to the others. A label has the row's generation, so that an entry of the former digest counts there, too, from then
// on: nothing dangles, and nothing has to be kept for the entries' sake. One race is left to be lost:
//
//  1. A hit compares its label with the row: they are of one generation.
//  2. The row is given to another digest, whose hits count from what the row has now.
//  3. The hit adds one: to the other digest.
//
// It is one hit on the wrong line, and cheaper than anything that would prevent it. No hit is lost.
//
// # Which one makes room
//
// A hand goes round the rows and takes the first that nobody has asked for since it came there last. Those that are asked
// for only once, as from an application that writes everything into its texts, take each other's rows, and those that are
// asked for again keep theirs.
//
// It knows no text but those it is given, which have no literals.
package digest
