package timeline

import (
	"cmp"
	"slices"
	"time"
)

// add keeps e, and lets the oldest go if there are too many. The caller holds mu.
func (t *Timeline) add(e Event) uint64 {
	t.last++
	e.ID = t.last
	if len(t.events) == t.max {
		t.events = slices.Delete(t.events, 0, 1)
	}
	t.events = append(t.events, &e)
	return e.ID
}

func (t *Timeline) with(id uint64, change func(*Event)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.find(id); e != nil {
		change(e)
	}
}

// find returns nil if the event has gone, or never was. The caller holds mu, as for the next two.
func (t *Timeline) find(id uint64) *Event {
	i, found := slices.BinarySearchFunc(t.events, id, func(e *Event, id uint64) int { return cmp.Compare(e.ID, id) })
	if !found {
		return nil
	}
	return t.events[i]
}

func (t *Timeline) newest(is func(*Event) bool) *Event {
	for _, e := range slices.Backward(t.events) {
		if is(e) {
			return e
		}
	}
	return nil
}

func (t *Timeline) oldest(is func(*Event) bool) *Event {
	if i := slices.IndexFunc(t.events, is); i >= 0 {
		return t.events[i]
	}
	return nil
}

func (t *Timeline) running() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.events {
		if e.State == Running {
			n++
		}
	}
	return n
}

// note keeps the first time for a server.
func note(times *map[string]time.Time, server string, at time.Time) {
	if _, known := (*times)[server]; known {
		return
	}
	if *times == nil {
		*times = map[string]time.Time{}
	}
	(*times)[server] = at
}
