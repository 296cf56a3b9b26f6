package ddlload

import (
	"testing"
	"time"
)

// The reads at the server are compared with the limit, from the change's begin on, as long as there is one.
func TestHerdCheck(t *testing.T) {
	at := func(ms, reads, limit int) reading { return reading{time.Duration(ms) * time.Millisecond, reads, limit} }
	for _, c := range []struct {
		name     string
		herd     herd
		wrong    bool
		peak     int
		above    int
		readings []reading
	}{
		{"no limit in this Weir", herd{}, false, 200, 0, []reading{at(-20, 0, 0), at(20, 200, 0)}},
		{"under the limit", herd{gates: true}, false, 8, 0, []reading{at(0, 8, 8), at(20, 7, 8)}},
		{"over the limit", herd{gates: true}, true, 9, 1, []reading{at(0, 8, 8), at(20, 9, 8)}},
		{"the limit was lowered", herd{gates: true}, false, 16, 1, []reading{at(0, 16, 16), at(20, 12, 8)}},
		{"the limit never came", herd{gates: true}, true, 200, 0, []reading{at(0, 200, 0)}},
		{"the limit came and went", herd{gates: true, waits: 5}, false, 8, 0, []reading{at(0, 8, 0)}},
		{"before the change and after the limit", herd{gates: true}, false, 4, 0, []reading{at(-20, 50, 0), at(0, 4, 8), at(20, 50, 0)}},
		{"some had waited long enough", herd{gates: true, through: 3}, false, 9, 1, []reading{at(0, 9, 8)}},
	} {
		c.herd.readings = c.readings
		peak, _ := c.herd.peak()
		if err := c.herd.check(); (err != nil) != c.wrong || peak != c.peak || c.herd.above() != c.above {
			t.Errorf("%s: error %v, want one: %t; peak %d, want %d; above %d, want %d", c.name, err, c.wrong, peak, c.peak, c.herd.above(), c.above)
		}
	}
}
