package digest

// Label says where a digest is counted: the row, and in the upper half the row's generation. It fits into a word that an entry
// of the cache carries. The zero Label is that of all others.
type Label uint64

// Others is the label of what has no row of its own.
const Others Label = 0

func labelOf(row int, generation uint32) Label {
	return Label(uint64(generation)<<32 | uint64(row))
}

func (l Label) row() int { return int(l) & (maxRows - 1) }

func (l Label) generation() uint32 { return uint32(l >> 32) }
