package trouble

import (
	"regexp"
	"time"
)

// Again is when a trouble that lasts is told again.
const Again = time.Minute

// most is how many troubles are told apart. Who has more of them within a minute is told the others once more.
const most = 16

// Trouble is what keeps going wrong for one who tries. The zero value has told nothing. It is for one goroutine.
type Trouble struct {
	told map[string]*telling
}

type telling struct {
	at     time.Time
	untold int
}

// ownPort is where a connection came from, which is another one each time.
var ownPort = regexp.MustCompile(`:\d+->`)

// Tell reports whether an error is to be told now: the first time, and then once a minute for as long as it keeps coming,
// also if others come in between. untold is how often it came since it was told last, without being told.
func (t *Trouble) Tell(err error) (untold int, tell bool) {
	now, text := time.Now(), ownPort.ReplaceAllString(err.Error(), "->")
	was := t.told[text]
	switch {
	case was != nil && now.Sub(was.at) < Again:
		was.untold++
		return 0, false
	case was != nil:
		untold = was.untold
	}
	t.forget(now)
	t.told[text] = &telling{at: now}
	return untold, true
}

// forget makes room for another one.
func (t *Trouble) forget(now time.Time) {
	if t.told == nil {
		t.told = map[string]*telling{}
	}
	for text, was := range t.told {
		if len(t.told) >= most || now.Sub(was.at) >= 2*Again {
			delete(t.told, text)
		}
	}
}

// Over forgets everything: it went well, and what goes wrong from now on is news.
func (t *Trouble) Over() { t.told = nil }
