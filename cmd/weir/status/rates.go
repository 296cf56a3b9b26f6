package status

import (
	"cmp"
	"slices"
	"time"
)

// perSecond is how fast a count grew; unknown over no time.
func perSecond(before, now Figure, over time.Duration) Figure {
	if over <= 0 {
		return Unknown()
	}
	return (now - before) / Figure(over.Seconds())
}

func rateBetween(a, b Reading) Rate {
	over, x, y := b.At.Sub(a.At), a.Counted, b.Counted
	r := Rate{
		Hits: perSecond(x.Hits, y.Hits, over), Misses: perSecond(x.Misses, y.Misses, over),
		Joined: perSecond(x.Joined, y.Joined, over), NotCacheable: perSecond(x.NotCacheable, y.NotCacheable, over),
	}
	r.Statements = r.Hits + r.Misses + r.Joined + r.NotCacheable
	r.HitRatio = ratio(r.Hits, r.Hits+r.Misses+r.Joined)
	return r
}

// lagBetween has quantiles of the commits from a to b, without the greatest, which buckets do not tell.
func lagBetween(a, b Reading) Lag {
	if len(b.Lags) == 0 || !a.At.Before(b.At) {
		return Lag{P50: Unknown(), P99: Unknown(), Max: Unknown()}
	}
	counts := make([]Bucket, len(b.Lags))
	for i, bucket := range b.Lags {
		if counts[i] = bucket; len(a.Lags) == len(b.Lags) {
			counts[i].Count -= a.Lags[i].Count
		}
	}
	return Lag{P50: quantile(counts, .5), P99: quantile(counts, .99), Max: Unknown(), Commits: counts[len(counts)-1].Count}
}

// upTo sets the longest lag, which no quantile exceeds, whatever buckets say.
func (l Lag) upTo(longest Figure) Lag {
	l.Max = longest
	if longest.Known() {
		l.P50, l.P99 = min(l.P50, longest), min(l.P99, longest)
	}
	return l
}

// quantile supposes that what is in a bucket is spread evenly over it.
func quantile(buckets []Bucket, q float64) Figure {
	all := buckets[len(buckets)-1].Count
	if all == 0 {
		return Unknown()
	}
	rank := q * float64(all)
	i, _ := slices.BinarySearchFunc(buckets, rank, func(b Bucket, rank float64) int { return cmp.Compare(float64(b.Count), rank) })
	from, below := Figure(0), uint64(0)
	if i > 0 {
		from, below = buckets[i-1].Le, buckets[i-1].Count
	}
	if !buckets[i].Le.Known() { // the last one has no end
		return from
	}
	return from + (buckets[i].Le-from)*Figure((rank-float64(below))/float64(buckets[i].Count-below))
}

// refusedBetween is sorted by what happens most now, then by what happened most.
func refusedBetween(a, b Reading) []Count {
	all := make([]Count, 0, len(b.Counted.Refused))
	for reason, total := range b.Counted.Refused {
		if total > 0 {
			all = append(all, Count{reason, perSecond(a.Counted.Refused[reason], total, b.At.Sub(a.At)), total})
		}
	}
	slices.SortFunc(all, func(x, y Count) int {
		return cmp.Or(cmp.Compare(y.PerSecond, x.PerSecond), cmp.Compare(y.Total, x.Total), cmp.Compare(x.Reason, y.Reason))
	})
	return all
}
