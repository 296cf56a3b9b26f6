package cache

import "testing"

const fourGiB = 1 << 32

func TestSeq(t *testing.T) {
	tests := []struct {
		name      string
		file      uint32
		pos       uint64
		at, after string
	}{
		{"nothing", 0, 0, "0/0", "0/0"},
		{"start of a file", 7, 4, "7/4", "7/4"},
		{"ordinary", 7, 1543, "7/1543", "7/1543"},
		{"last place that fits", 7, fourGiB - 2, "7/4294967294", "7/4294967294"},
		{"first place that does not", 7, fourGiB - 1, "7/4294967295", "8/0"},
		{"four GiB", 7, fourGiB, "7/4294967295", "8/0"},
		{"past four GiB", 7, 6 << 30, "7/4294967295", "8/0"},
		{"the next file", 8, 4, "8/4", "8/4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := At(tt.file, tt.pos).String(); got != tt.at {
				t.Errorf("At = %s, want %s", got, tt.at)
			}
			if got := After(tt.file, tt.pos).String(); got != tt.after {
				t.Errorf("After = %s, want %s", got, tt.after)
			}
		})
	}
	s := At(7, 1543)
	if s.File() != 7 || s.Pos() != 1543 {
		t.Errorf("file and position of %s: %d, %d", s, s.File(), s.Pos())
	}
}

// TestSeqRounding: whatever the rounding, a snapshot at one place counts as containing a change at another only if it
// does. Below four GiB it also counts whenever it does.
func TestSeqRounding(t *testing.T) {
	places := []uint64{4, 1543, fourGiB - 3, fourGiB - 2, fourGiB - 1, fourGiB, fourGiB + 1, 6 << 30}
	contains := func(file1 uint32, pos1 uint64, file2 uint32, pos2 uint64) bool {
		return file1 > file2 || file1 == file2 && pos1 >= pos2
	}
	for _, snapFile := range []uint32{7, 8} {
		for _, snap := range places {
			for _, changeFile := range []uint32{7, 8} {
				for _, change := range places {
					covers := At(snapFile, snap) >= After(changeFile, change)
					contained := contains(snapFile, snap, changeFile, change)
					if covers && !contained {
						t.Errorf("a snapshot at %d/%d counts as containing a change at %d/%d", snapFile, snap, changeFile, change)
					}
					if contained && !covers && change < fourGiB-1 {
						t.Errorf("a snapshot at %d/%d does not count as containing a change at %d/%d", snapFile, snap, changeFile, change)
					}
				}
			}
		}
	}
}

// TestSeqOverflowInLedger: a snapshot and a change at the same place past four GiB, and what the ledger says of its
// head while more changes of that file are to come.
func TestSeqOverflowInLedger(t *testing.T) {
	l := NewLedger(4)
	epoch := l.Restart(At(7, 4))
	l.SetComplete(epoch, 0)
	fresh := func(at Mark, tags ...Tag) bool { return l.Fresh(NewEntry(nil, nil, tags, at), 0, 0) }

	l.Record(After(7, 5<<30), []Tag{tagA})
	if fresh(Mark{epoch, At(7, 5<<30)}, tagA) {
		t.Error("a snapshot at the overflowed place of the change is served")
	}
	all := l.Mark() // of a snapshot that contains all that is recorded
	l.Record(After(7, 6<<30), []Tag{tagB})
	if fresh(all, tagB) {
		t.Errorf("the head was %s, and a snapshot of it is served after one more change in that file", all.Seq)
	}
	if l.Head() >= After(7, 7<<30) {
		t.Errorf("the head is %s, although changes past four GiB of file 7 may still come", l.Head())
	}

	l.Advance(At(8, 4))
	if !fresh(Mark{epoch, At(8, 4)}, tagA, tagB) || l.Head() < After(7, 7<<30) {
		t.Errorf("once the next file has begun, a snapshot of it is not served; head %s", l.Head())
	}
}
