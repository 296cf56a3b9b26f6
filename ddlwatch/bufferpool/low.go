package bufferpool

import (
	"math"
	"sort"
	"time"
)

// maxLows bounds the memory of lows. It is reached only by a ratio that rises in a thousand steps without ever falling
// back, and then the oldest, which are the lowest, go.
const maxLows = 1024

// lows answers what the lowest value since a moment was, for any moment. It keeps a value only until one as low comes
// after it, so that what is kept rises.
type lows struct {
	kept []lowPoint
}

type lowPoint struct {
	at    time.Time
	value float64
}

func (l *lows) add(at time.Time, value float64) {
	n := len(l.kept)
	for n > 0 && l.kept[n-1].value >= value {
		n--
	}
	l.kept = append(l.kept[:n], lowPoint{at, value})
	if over := len(l.kept) - maxLows; over > 0 {
		l.kept = append(l.kept[:0], l.kept[over:]...)
	}
}

// since returns NaN if there was nothing since.
func (l *lows) since(at time.Time) float64 {
	i := sort.Search(len(l.kept), func(i int) bool { return !l.kept[i].at.Before(at) })
	if i == len(l.kept) {
		return math.NaN()
	}
	return l.kept[i].value
}
