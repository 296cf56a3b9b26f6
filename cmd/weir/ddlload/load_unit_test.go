package ddlload

import (
	"testing"
	"time"
)

// Requests are due at their own moments, however late they are asked, and all that were due before the end are asked.
func TestLoadIsOpen(t *testing.T) {
	l := newLoad("", nil, 1, 100)
	l.start = time.Now().Add(-time.Minute) // a reader that has waited for a minute
	l.stop()
	want := time.Duration(0)
	for due, over := l.next(); !over; due, over = l.next() {
		if due != want {
			t.Fatalf("a request is due at %v, want %v", due, want)
		}
		want += 10 * time.Millisecond
	}
	if want < time.Minute || want > l.end+10*time.Millisecond {
		t.Errorf("the last request was due before %v; the load ended at %v", want, l.end)
	}
}
