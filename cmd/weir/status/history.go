package status

// Points is how many seconds a history has at most.
const Points = 600

// History is parallel arrays, one point a second, oldest first. A second that nobody has looked at is missing, so that
// Times have gaps when the process was stopped.
type History struct {
	// Times are seconds since 1970.
	Times []int64 `json:"times"`
	// QPS are statements per second.
	QPS      []Figure `json:"qps"`
	HitRatio []Figure `json:"hit_ratio"`
	LagP50   []Figure `json:"lag_p50"`
	LagP99   []Figure `json:"lag_p99"`
	LagMax   []Figure `json:"lag_max"`
	// Bound is the age of the last moment as of which the ledger was known to be complete.
	Bound []Figure `json:"bound"`
}

// Append adds what is newer than h has, and forgets what is older than ten minutes. It is for those who follow events: of
// an event that they have seen already, it adds nothing.
func (h *History) Append(more History) {
	last := int64(-1)
	if n := len(h.Times); n > 0 {
		last = h.Times[n-1]
	}
	for i, at := range more.Times {
		if at > last {
			h.add(more, i)
			last = at
		}
	}
	h.trim(Points)
}

func (h *History) add(from History, i int) {
	h.Times = append(h.Times, from.Times[i])
	to, of := h.figures(), from.figures()
	for k := range to {
		*to[k] = append(*to[k], (*of[k])[i])
	}
}

// trim keeps the last max points. What was handed out before is not written to again.
func (h *History) trim(max int) {
	if over := len(h.Times) - max; over > 0 {
		h.Times = h.Times[over:]
		for _, f := range h.figures() {
			*f = (*f)[over:]
		}
	}
}

// Last is the history of the newest n points.
func (h History) Last(n int) History {
	h.trim(n)
	return h
}

func (h *History) figures() [6]*[]Figure {
	return [...]*[]Figure{&h.QPS, &h.HitRatio, &h.LagP50, &h.LagP99, &h.LagMax, &h.Bound}
}
