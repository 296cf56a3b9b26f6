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
