package bufferpool

import "time"

// Report is all that is known of one server's pool.
type Report struct {
	Server   string   `json:"server"`
	Now      Reading  `json:"now"`
	Baseline Reading  `json:"baseline"`
	Advice   []string `json:"advice"`
}

// Report says what is known of all servers, in the order of New.
func (p *Probe) Report() []Report {
	all := make([]Report, 0, len(p.servers))
	for _, s := range p.servers {
		addr := s.target.Addr
		all = append(all, Report{addr, p.Now(addr), p.Baseline(addr), p.Advice(addr)})
	}
	return all
}

func (p *Probe) find(addr string) *server {
	for _, s := range p.servers {
		if s.target.Addr == addr {
			return s
		}
	}
	return nil
}

// Now is the last reading of the server at addr. If the next one is overdue, its state is unknown and it is a gap.
func (p *Probe) Now(addr string) Reading {
	s := p.find(addr)
	if s == nil {
		return nothing(addr, time.Time{})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.now
	if !r.At.IsZero() && time.Now().After(s.due) {
		r.State, r.Gap = Unknown, true
	}
	return r
}

// Baseline is how the pool of the server at addr usually is, averaged over the last minutes before the schema change or
// refill that runs, if one does. Its state is unknown until there is something to average.
func (p *Probe) Baseline(addr string) Reading {
	s := p.find(addr)
	if s == nil {
		return nothing(addr, time.Time{})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.judge.base.reading(addr)
}

// Low is the lowest hit ratio of the server at addr since that time, of those that enough requests stand behind; NaN if
// there is none.
func (p *Probe) Low(addr string, since time.Time) float64 {
	s := p.find(addr)
	if s == nil {
		return nothing(addr, since).HitRatio
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.judge.low.since(since)
}
