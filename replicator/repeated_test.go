package replicator

import (
	"testing"
	"time"
)

func TestRepeatedTroubleIsToldNowAndThen(t *testing.T) {
	var r repeated
	at := time.Unix(1000, 0)
	told := 0
	for range 3 * 60 * 5 { // three minutes, five times a second
		if _, now := r.say("connection refused", at); now {
			told++
		}
		at = at.Add(200 * time.Millisecond)
	}
	if told != 3 {
		t.Errorf("in three minutes it was told %d times", told)
	}
	if unsaid, now := r.say("no route to host", at); !now || unsaid != 0 {
		t.Error("another trouble is not told")
	}
	r.say("no route to host", at)
	if unsaid, now := r.say("no route to host", at.Add(time.Hour)); !now || unsaid != 1 {
		t.Errorf("after an hour: told %v, %d times not told before", now, unsaid)
	}
}
