package ddlload

import (
	"slices"
	"time"
)

// trace is what readers saw of one change. Times are since the load's start.
type trace struct {
	samples      []sample
	begun, ended time.Duration // of the change
	until        time.Duration // the last moment that a request was due at
	bin          time.Duration // what is called a second: shorter in a run that is too short for seconds
}

// took is how long the change took.
func (t trace) took() time.Duration { return t.ended - t.begun }

// second is one of a trace.
type second struct {
	from          time.Duration // since the change began; negative before
	due, answered int           // in it
	backlog       int           // due by its end, and not answered by then
}

// seconds are the whole ones, so aligned that the change begins with one.
func (t trace) seconds() []second {
	lead := int(t.begun / t.bin)
	origin := t.begun - time.Duration(lead)*t.bin
	all := make([]second, int((t.until-origin)/t.bin))
	for i := range all {
		all[i].from = time.Duration(i-lead) * t.bin
	}
	early := 0 // due less answered, before the first
	for _, s := range t.samples {
		early += t.count(all, s.due-origin, func(s *second) { s.due++ }) - t.count(all, s.done-origin, func(s *second) { s.answered++ })
	}
	for i := range all {
		early += all[i].due - all[i].answered
		all[i].backlog = early
	}
	return all
}

// count gives a moment to its second, and returns 1 if it is before the first.
func (t trace) count(all []second, at time.Duration, into func(*second)) int {
	if at < 0 {
		return 1
	}
	if i := int(at / t.bin); i < len(all) {
		into(&all[i])
	}
	return 0
}

// figures are what is told of a trace.
type figures struct {
	level    float64       // answers per second before
	during   float64       // and in the seconds that have some of the change
	after    float64       // and in those after
	lowest   float64       // the worst second before, as a share of the level: how much is noise
	worst    float64       // the worst second from the change's begin on, as a share of the level
	back     time.Duration // from the change's end until all was as before, if recovered
	recover  bool
	p99      [3]time.Duration // of what was due before, during, and after
	requests int
}

// A second counts as one like before with as much of the level, and less than one second's requests behind.
const whole = 0.95

func (t trace) figures() figures {
	f := figures{recover: true, lowest: 1, worst: 1, requests: len(t.samples), p99: t.latencies()}
	all := t.seconds()
	before := slices.IndexFunc(all, func(s second) bool { return s.from >= 0 })
	if before <= 0 {
		return f
	}
	f.level = t.rate(all[:before])
	level := f.level * t.bin.Seconds()
	f.during, f.after = t.rates(all[before:])
	for i, s := range all {
		if i < before {
			f.lowest = min(f.lowest, float64(s.answered)/level)
			continue
		}
		f.worst = min(f.worst, float64(s.answered)/level)
		if good := float64(s.answered) >= whole*level && float64(s.backlog) <= level; !good {
			f.back = max(0, s.from+t.bin-t.took())
			f.recover = i < len(all)-1
		}
	}
	return f
}

// rates are the answers per second during the change and after it.
func (t trace) rates(all []second) (during, after float64) {
	end := slices.IndexFunc(all, func(s second) bool { return s.from >= t.took() })
	if end < 0 {
		end = len(all)
	}
	return t.rate(all[:end]), t.rate(all[end:])
}

func (t trace) rate(all []second) float64 {
	answered := 0
	for _, s := range all {
		answered += s.answered
	}
	return float64(answered) / max(1, float64(len(all))) / t.bin.Seconds()
}

// latencies are the 99th percentiles before, during and after the change, by when requests were due.
func (t trace) latencies() (p99 [3]time.Duration) {
	var parts [3][]time.Duration
	for _, s := range t.samples {
		i := 0
		if s.due >= t.begun {
			i = 1
		}
		if s.due >= t.ended {
			i = 2
		}
		parts[i] = append(parts[i], s.done-s.due)
	}
	for i, p := range parts {
		if len(p) > 0 {
			slices.Sort(p)
			p99[i] = p[min(len(p)-1, len(p)*99/100)]
		}
	}
	return p99
}
