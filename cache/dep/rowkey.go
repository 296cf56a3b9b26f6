package dep

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"weir/cache"
)

// RowKey makes the tags of rows, and of ranges of rows, by the value of one column.
type RowKey struct{ seed uint64 }

// RowKey returns that of a column, whose name is in lower case.
func (n Name) RowKey(column string) RowKey {
	return RowKey{uint64(tag('r', n.Schema, n.Table, column))}
}

// CellKey returns that of one column of the rows that have a value in another one, the key; the names are in lower case.
//
// Its Row is touched by every update that changes the column in a row which has the value in the key, or had it. With
// the key itself for a column, it is touched when a row with the value is inserted or deleted, and when an update changes
// the key to it or from it. A result that reads some columns of rows with key = value depends on these and on no others.
func (n Name) CellKey(key, column string) RowKey {
	return RowKey{uint64(tag('x', n.Schema, n.Table, key, column))}
}

// Row is touched by every change to a row that has the value in the column, or had it. The value is in the encoding of
// [Type.AppendLiteral] and [Type.AppendImage].
func (k RowKey) Row(value []byte) cache.Tag { return cache.Tag(xxh3.HashSeed(value, k.seed)) }

// Unread is touched, in place of Row, by every change to a row of whose value, before or after, the encoding is not known: it
// may be any. Results depend on it if the column's type is [Type.Partial].
func (k RowKey) Unread() cache.Tag { return k.bucket(0xff, 0) }

// Bucket is touched by every change to a row whose value in the column has or had a position in the bucket.
func (k RowKey) Bucket(b Bucket) cache.Tag { return k.bucket(b.Level, b.Number) }

func (k RowKey) bucket(level uint8, number uint64) cache.Tag {
	var b [9]byte
	b[0] = level
	binary.LittleEndian.PutUint64(b[1:], number)
	return cache.Tag(xxh3.HashSeed(b[:], ^k.seed))
}

// Bucket is a range of positions: those that are Number after Level's bits are shifted out.
type Bucket struct {
	Level  uint8
	Number uint64
}

// Levels of buckets: each is 64 times as wide as the one before.
const Levels = 3

func shift(level uint8) uint { return 6 * (uint(level) + 1) }

// Width returns how many positions a bucket of the level has.
func Width(level uint8) uint64 { return 1 << shift(level) }

// BucketOf returns the bucket of a position at a level: 64 positions wide at level 0, 4,096 at 1, 262,144 at 2.
func BucketOf(position uint64, level uint8) Bucket {
	return Bucket{Level: level, Number: position >> shift(level)}
}

// MaxBuckets is how many buckets a range may span before it counts as the whole table.
const MaxBuckets = 16

// Buckets returns the narrowest ones, no more than MaxBuckets, that together hold every position from low to high;
// false if that takes more, or if there is no position between them.
func Buckets(low, high uint64) ([]Bucket, bool) {
	for level := range uint8(Levels) {
		first, last := low>>shift(level), high>>shift(level)
		if low > high || last-first >= MaxBuckets {
			continue
		}
		var all []Bucket
		for n := first; n <= last; n++ {
			all = append(all, Bucket{level, n})
		}
		return all, true
	}
	return nil, false
}
