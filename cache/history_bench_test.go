package cache

import (
	"fmt"
	"testing"
)

// benchRows returns n tags of rows, of which the first is row i.
func benchRows(i, n int) []Tag {
	tags := make([]Tag, n)
	for j := range tags {
		tags[j] = rowTag(i + j)
	}
	return tags
}

// fullHistory is a ledger that has recorded more than its history has room for, of which row i was touched at i.
func fullHistory() (l *Ledger, rows int) {
	l = NewLedger(DefaultHistory)
	l.Restart(0)
	for rows < 2*DefaultHistory {
		rows++
		l.Record(Seq(rows), benchRows(rows, 1))
	}
	return l, rows
}

// BenchmarkRecordTags has rows change that were not changed before, and rows that change again and again.
func BenchmarkRecordTags(b *testing.B) {
	for _, n := range []int{3, 30} {
		for name, of := range map[string]int{"new": 1 << 40, "again": 10000} {
			b.Run(fmt.Sprintf("tags=%d, %s", n, name), func(b *testing.B) {
				l, seq := fullHistory()
				b.ReportAllocs()
				tags := make([]Tag, n)
				for b.Loop() {
					seq++
					for j := range tags {
						tags[j] = rowTag((seq*n + j) % of)
					}
					l.Record(Seq(seq), tags)
				}
			})
		}
	}
}

// BenchmarkLastOf asks for tags that were touched a while ago, and for some that never were.
func BenchmarkLastOf(b *testing.B) {
	for _, n := range []int{4, 16} {
		for _, known := range []bool{true, false} {
			b.Run(fmt.Sprintf("tags=%d, known=%v", n, known), func(b *testing.B) {
				l, last := fullHistory()
				from := 1 << 40
				if known {
					from = last - 100000
				}
				tags := make([]Tag, n)
				for i := 0; b.Loop(); i++ {
					for j := range tags {
						tags[j] = rowTag(from + (i*n+j)%90000)
					}
					l.LastOf(tags)
				}
			})
		}
	}
}

// BenchmarkNewLedger is what the history costs at the start of the program, with the first Restart.
func BenchmarkNewLedger(b *testing.B) {
	for b.Loop() {
		NewLedger(DefaultHistory).Restart(0)
	}
}

// BenchmarkRestart is one of a ledger whose history is full.
func BenchmarkRestart(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		l, _ := fullHistory()
		b.StartTimer()
		l.Restart(0)
	}
}
