package replicator

import "time"

// sayAgain is when a trouble that lasts is told again.
const sayAgain = time.Minute

// repeated keeps a trouble that lasts from filling the log: it is told once, and then once a minute, for as long as it stays
// the same.
type repeated struct {
	text   string
	saidAt time.Time
	unsaid int
}

// say reports whether the text is to be told now, and how often it was not since it was told last.
func (r *repeated) say(text string, now time.Time) (unsaid int, tell bool) {
	if text == r.text && now.Sub(r.saidAt) < sayAgain {
		r.unsaid++
		return 0, false
	}
	if text == r.text {
		unsaid = r.unsaid
	}
	*r = repeated{text: text, saidAt: now}
	return unsaid, true
}
