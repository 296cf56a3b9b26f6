package bufferpool

import "fmt"

const (
	// lowRatio is the hit ratio under which the pool should grow before anything else is done. Alibaba Cloud's advice for
	// its Fast Query Cache: memory for cached results must not be taken from a pool that hits less than 80 %.
	lowRatio = 0.80
	// enoughRatio ends the advice.
	enoughRatio = 0.82
	// realTraffic is how many seconds of traffic the ratio must have been seen over.
	realTraffic = 180
)

// Suggest is a size for the cache of results, and why, by Alibaba Cloud's advice for its Fast Query Cache: a fifth of the
// volume of the results that clients ask for, and a tenth of the buffer pool as long as that volume is not known (0). With
// neither it is 0.
func Suggest(poolBytes, resultVolumeBytes int64) (bytes int64, why string) {
	switch {
	case resultVolumeBytes > 0:
		return resultVolumeBytes / 5, fmt.Sprintf("query_cache_size: %s would be 20 %% of the results that are asked for (%s)",
			mebibytes(resultVolumeBytes/5), mebibytes(resultVolumeBytes))
	case poolBytes > 0:
		return poolBytes / 10, fmt.Sprintf("query_cache_size: %s would be 10 %% of the buffer pool (%s), to begin with",
			mebibytes(poolBytes/10), mebibytes(poolBytes))
	}
	return 0, ""
}

func mebibytes(n int64) string { return fmt.Sprintf("%dMiB", (n+1<<19)>>20) }

// Advice is what the operator of the server at addr may want to do, one sentence each.
func (p *Probe) Advice(addr string) []string {
	advice := []string{} // null is no list
	s := p.find(addr)
	if s == nil {
		return advice
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ratio, known := s.usualRatio(); known && ratio < lowRatio {
		advice = append(advice, fmt.Sprintf("the buffer pool finds %.0f %% of the pages that are asked for; under 80 %%, more memory for the pool "+
			"(innodb_buffer_pool_size, now %s) does more than a larger cache of results", 100*ratio, mebibytes(s.now.PoolBytes)))
	}
	if _, why := Suggest(s.now.PoolBytes, p.cfg.Results()); why != "" {
		advice = append(advice, why)
	}
	return advice
}

// usualRatio is the hit ratio over the last minutes of real traffic. The caller holds mu.
func (s *server) usualRatio() (ratio float64, known bool) {
	m, known := s.judge.base.miss()
	return 1 - m, known && s.judge.base.traffic >= realTraffic
}

// advise warns once when the pool turns out to be too small.
func (p *Probe) advise(s *server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ratio, known := s.usualRatio()
	switch {
	case !known:
		return
	case ratio < lowRatio && !s.small:
		s.small = true
		p.log.Warn("a buffer pool is small for what is read; give it more memory before the cache of results gets any",
			"server", s.target.Addr, "hit_ratio", ratio, "pool_bytes", s.now.PoolBytes)
	case ratio >= enoughRatio:
		s.small = false
	}
	p.metrics.showSmall(s.target.Addr, s.small)
}
