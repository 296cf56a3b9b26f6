package cache

import (
	"fmt"
	"testing"
	"time"
)

// fullStore is a store that is full of results of a kibibyte, each with a cell of its own.
func fullStore(size, limit int64) (*Cache, int) {
	l := NewLedger(DefaultHistory)
	l.SetComplete(l.Restart(0), l.Now())
	c := New(Config{Size: size, Limit: limit}, l, nil)
	for i := 0; c.Stats().Evictions == 0; {
		for range 10000 {
			c.Put(NewEntry(benchKey(i), make([]byte, 1<<10), []Tag{1, Tag(i) << 20}, Mark{Epoch: 1}), benchBound)
			i++
		}
	}
	return c, int(c.Stats().Entries)
}

// BenchmarkResize changes a full store, and reports how long that takes, and the longest time for which a writer of a key
// waited meanwhile; writers of other shards wait less. What the garbage collector and other programs do is in it.
func BenchmarkResize(b *testing.B) {
	const gib, mib = 1 << 30, 1 << 20
	for _, to := range []struct {
		name                           string
		size, limit, newSize, newLimit int64
	}{
		{"shrink", gib, mib, mib, mib},
		{"to nothing", gib, mib, 0, mib},
		{"grow", gib, mib, 2 * gib, mib},
		{"grow from one shard", 15 * mib, mib, gib, mib},
		{"join", 256 * mib, mib, 256 * mib, 32 * mib},
		{"split", 256 * mib, 32 * mib, 256 * mib, mib},
	} {
		b.Run(to.name, func(b *testing.B) {
			var longest, total time.Duration
			for range b.N {
				b.StopTimer()
				c, n := fullStore(to.size, to.limit)
				stop, waited := make(chan struct{}), make(chan time.Duration)
				go func() { waited <- longestPut(c, n, stop) }()
				b.StartTimer()
				began := time.Now()
				c.Resize(to.newSize)
				c.SetLimit(to.newLimit)
				total += time.Since(began)
				close(stop)
				longest = max(longest, <-waited)
			}
			b.ReportMetric(float64(total.Microseconds())/float64(b.N)/1000, "ms/op")
			b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest-put")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// longestPut puts what is there already, again and again, and returns how long the longest Put took.
func longestPut(c *Cache, n int, stop chan struct{}) (longest time.Duration) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return longest
		default:
		}
		e := NewEntry(fmt.Append(nil, i%n), nil, []Tag{1}, Mark{Epoch: 1})
		began := time.Now()
		c.Put(e, benchBound)
		longest = max(longest, time.Since(began))
	}
}
