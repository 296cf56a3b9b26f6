package cache

import "fmt"

// Seq is a place in the source's change stream: the number of the binlog file in the high 32 bits, the end
// position of a transaction in that file in the low 32. Seqs of one source are a total order, and everybody who
// reads the same source computes the same Seq for the same transaction. Zero is before everything.
type Seq uint64

// At returns the Seq of the place pos in binlog file number file, rounded down.
//
// A single transaction can make a binlog file larger than 4 GiB, where the low half overflows; positions past it
// count as the last one that fits. Use At for what a snapshot is known to contain, and [After] for a change, so that
// the rounding can only make an entry look older and a change newer.
func At(file uint32, pos uint64) Seq {
	return Seq(file)<<32 | Seq(min(pos, 1<<32-1))
}

// After returns the Seq of a change that ends at pos in binlog file number file, rounded up: past 4 GiB it is the
// start of the next file, which is before every change in there.
func After(file uint32, pos uint64) Seq {
	if pos >= 1<<32-1 {
		return Seq(file+1) << 32
	}
	return At(file, pos)
}

// File returns the number of the binlog file.
func (s Seq) File() uint32 { return uint32(s >> 32) }

// Pos returns the position in the binlog file, in bytes.
func (s Seq) Pos() uint32 { return uint32(s) }

// String gives file number and position, as in 7/1543.
func (s Seq) String() string { return fmt.Sprintf("%d/%d", s.File(), s.Pos()) }
