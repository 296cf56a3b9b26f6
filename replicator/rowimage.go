package replicator

import "math/bits"

// value is what a row image has of one column.
type value struct {
	state valueState
	raw   []byte // without its length; a part of the event
}

type valueState uint8

const (
	absent  valueState = iota // not in the image: "not logged" is not NULL
	isNull                    // NULL
	present                   // raw
)

// imageReader reads the row images of events with one table map. go-mysql's own decoder makes a value of Go's of every
// column of every row, which costs more than all the rest of a change's way; this one finds out where columns end and
// looks at those that somebody watches. It allocates nothing.
type imageReader struct {
	sizes []fieldSize // of all columns
	slots []int       // for each column where its value goes, or -1
}

// read takes one image off the front of data: a bitmap of NULLs, with a bit for each column that is logged, and the
// values of those that are not NULL. It is false if data does not hold all of it.
func (r *imageReader) read(data []byte, logged columnSet, out []value) (rest []byte, ok bool) {
	clear(out)
	n := (logged.count + 7) / 8
	if len(data) < n {
		return nil, false
	}
	nulls, data := data[:n], data[n:]
	bit := 0
	for i, size := range r.sizes {
		if !hasBit(logged.bitmap, i) {
			continue
		}
		v := value{state: isNull}
		if !hasBit(nulls, bit) {
			v.state = present
			if v.raw, data, ok = size.cut(data); !ok {
				return nil, false
			}
		}
		bit++
		if slot := r.slots[i]; slot >= 0 {
			out[slot] = v
		}
	}
	return data, true
}

// columnSet says which columns are in an image.
type columnSet struct {
	bitmap []byte
	count  int
}

// columnsIn is false if the bitmap has not a bit for each column.
func columnsIn(bitmap []byte, columns int) (columnSet, bool) {
	if len(bitmap) != (columns+7)/8 {
		return columnSet{}, false
	}
	s := columnSet{bitmap: bitmap}
	for i, b := range bitmap {
		if last := columns - 8*i; last < 8 {
			b &= 1<<last - 1
		}
		s.count += bits.OnesCount8(b)
	}
	return s, true
}

func hasBit(bitmap []byte, i int) bool { return bitmap[i>>3]&(1<<(i&7)) != 0 }
