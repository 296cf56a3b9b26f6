package cache

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"
)

// heap returns the bytes of the objects that are reachable.
func heap() int64 {
	runtime.GC()
	runtime.GC() // the first one may have begun before the last garbage was made
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBudgetIsMemory fills a store, several times over, and compares what it counts with what the heap has grown by. The
// keys have 60 bytes. The results have a length of every day, or one at which the heap rounds most.
func TestBudgetIsMemory(t *testing.T) {
	for _, tt := range []struct {
		size        int64
		wire, times int
	}{
		{64 << 20, 100, 1},
		{8 << 20, 100, 3},
		{8 << 20, 0, 1},
		{8 << 20, 1477, 2},
		{8 << 20, 4037, 2},
		{8 << 20, 32709, 2},
		{32 << 20, 300000, 2},
	} {
		t.Run(fmt.Sprintf("%d bytes, filled %d times", tt.wire, tt.times), func(t *testing.T) {
			size := tt.size
			if raceEnabled {
				size = 4 << 20
			}
			before := heap()
			s := filled(size, tt.wire, tt.times)
			grown, counted := heap()-before, s.Stats().Bytes
			t.Logf("counts %d bytes in %d entries, the heap has grown by %d", counted, s.Stats().Entries, grown)
			if counted < size*9/10 {
				t.Errorf("counts %d bytes of %d: is not full", counted, size)
			}
			if grown > counted*103/100 {
				t.Errorf("the heap has grown by %d bytes, more than the %d that are counted", grown, counted)
			}
			if grown < counted*80/100 {
				t.Errorf("the heap has grown by %d bytes, far less than the %d that are counted", grown, counted)
			}
			runtime.KeepAlive(s)
		})
	}
}

// TestBudgetIsMemoryWithCells does the same with entries that have cells: a few that all share, and some that no other
// entry needs. Budget, count and heap have to agree at the end, and the budget must hold at every moment.
func TestBudgetIsMemoryWithCells(t *testing.T) {
	for _, own := range []int{0, 1, 8} {
		t.Run(fmt.Sprintf("%d tags of their own", own), func(t *testing.T) {
			size := int64(16 << 20)
			if raceEnabled {
				size = 4 << 20
			}
			l := NewLedger(2)
			l.SetComplete(l.Restart(0), l.Now())
			before := heap()
			c := New(Config{Size: size, Limit: 64 << 10}, l, nil)
			for i := range 2 * int(size) / 500 {
				tags := make([]Tag, 3, 3+own)
				copy(tags, benchTags)
				for j := range own {
					tags = append(tags, rowTag(i*own+j))
				}
				c.Put(NewEntry(rowKey(nil, i), make([]byte, 100), tags, Mark{Epoch: 1}), benchBound)
				if st := c.Stats(); i%100 == 0 && st.Bytes > size {
					t.Fatalf("counts %d bytes of %d", st.Bytes, size)
				}
			}
			st, cells := c.Stats(), l.cells.bytes.Load()
			grown := heap() - before
			t.Logf("counts %d bytes in %d entries, of which %d in cells; the heap has grown by %d", st.Bytes, st.Entries, cells, grown)
			if st.Bytes < size*85/100 || st.Evictions == 0 || st.Budget != size {
				t.Errorf("%+v: is not full", st)
			}
			if grown > st.Bytes*104/100+cellShards*128 || grown < st.Bytes*80/100 {
				t.Errorf("the heap has grown by %d bytes, %d are counted", grown, st.Bytes)
			}
			c.Clear()
			if st := c.Stats(); st.Bytes > minCellTable*placeSize*cellShards {
				t.Errorf("after Clear %d bytes are counted", st.Bytes)
			}
			runtime.KeepAlive(c)
		})
	}
}

func filled(size int64, wireLen, times int) *Store {
	s := NewStore(size, 64<<10)
	key, wire := make([]byte, 60), make([]byte, wireLen)
	next := func() *Entry { return NewEntry(key, wire, make([]Tag, 3), Mark{}) }
	for i := range int64(times) * size / sizeOf(next()) * 11 / 10 {
		binary.BigEndian.PutUint64(key, uint64(i))
		put(s, next())
	}
	return s
}
