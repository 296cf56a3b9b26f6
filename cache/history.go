package cache

import (
	"math/bits"
	"sync/atomic"
)

// history knows when each of the tags that were touched last was touched. One goroutine writes it, any number read it,
// and nobody waits.
//
// It has buckets, a tag's hash says which, and a bucket has room for a few tags with the Seq of each. What is touched again
// takes no more room. If there is none left, the tag that was touched longest ago goes, and the bucket's floor is raised to
// its Seq: what is not in the bucket was not touched after that. So what the history says of a tag is exact or, of one that
// has gone or never was there, the floor, which is as far back as the bucket remembers.
//
// # Reading while it is written to
//
// last never returns less than the tag's last touch before the call, and that rests on three things. The floor is raised
// before a tag goes. A reader looks at the floor last. And the Seq of a way, like the floor, never gets smaller, whichever
// tags come and go there: who comes was touched after who goes. X was touched at 10:
//
//	H1: X goes, and is looked for               H2: X comes back behind the reader
//	1. the reader passes some ways              1. the reader passes way 0, which has W
//	2. the floor is raised to 10                2. the floor is raised to 10; X goes from way 5
//	3. X's way gets Y                           3. X is touched at 40, and goes to way 0
//	4. the reader finds X nowhere               4. the reader finds X nowhere
//	5. the floor says 10                        5. the floor says 10: what held when the reader came
//
//	H3: X's way gets Y under the reader's eyes  H4: what is recorded late is older than what is there
//	1. the reader finds X in a way              1. the reader finds X in a way
//	2. X goes; Y comes, touched at 30           2. Y was touched at 5: it does not come in, the floor is raised to 5
//	3. the way's Seq says 30                    3. the way's Seq says 10
//
// [Ledger.Restart] clears a bucket, and a reader may be anywhere in it: it may get anything. A reader of the old epoch finds
// afterwards that the epoch has changed, see [Ledger.Fresh]. One of the new epoch gets zero, or what is left of the old
// one: either is no less than the truth, since nothing is touched in the new epoch before all is cleared.
type history struct {
	buckets []bucket
}

// ways is how many tags a bucket has room for. With the floor, a bucket is four cache lines; the more ways, the later is
// the first bucket full when others are not, and the longer takes a look.
const ways = 15

type bucket struct {
	floor atomic.Uint64 // the largest Seq that was ever without a way
	tags  [ways]atomic.Uint64
	seqs  [ways]atomic.Uint64 // of the tags; zero if the way is free
	_     uint64
}

// newHistory returns a history with room for so many tags.
func newHistory(tags int) history {
	return history{make([]bucket, (max(tags, 1)+ways-1)/ways)}
}

// bucket returns the tag's bucket: the tag's share of all possible tags is the bucket's share of all buckets.
func (h *history) bucket(t Tag) *bucket {
	i, _ := bits.Mul64(uint64(t), uint64(len(h.buckets)))
	return &h.buckets[i]
}

// touch notes a change at seq, unless a later one is known. Only one goroutine may call touch and clear.
func (h *history) touch(t Tag, seq Seq) { h.bucket(t).touch(word(t), seq) }

// last returns the Seq of the last change that touched t; of one that has no way, a later one in its bucket, or zero.
func (h *history) last(t Tag) Seq { return h.bucket(t).last(word(t)) }

// clear forgets everything.
func (h *history) clear() {
	for i := range h.buckets {
		h.buckets[i].clear()
	}
}

// word is what a way holds of a tag. Zero is that of a free way; the tag zero shares the word of the tag one, as tags may.
func word(t Tag) uint64 { return max(uint64(t), 1) }

func (b *bucket) last(word uint64) Seq {
	if i := b.find(word); i >= 0 {
		return Seq(b.seqs[i].Load())
	}
	return Seq(b.floor.Load())
}

// find returns the way that has the tag, or -1.
func (b *bucket) find(word uint64) int {
	for i := range b.tags {
		if b.tags[i].Load() == word {
			return i
		}
	}
	return -1
}

func (b *bucket) touch(word uint64, seq Seq) {
	if i := b.find(word); i >= 0 {
		touch(&b.seqs[i], seq)
		return
	}
	i, oldest := b.oldest()
	if seq <= oldest {
		touch(&b.floor, seq) // it would be the next to go
		return
	}
	touch(&b.floor, oldest)
	b.seqs[i].Store(uint64(seq))
	b.tags[i].Store(word)
}

// oldest returns the way that was touched longest ago: the first free one, if there is any.
func (b *bucket) oldest() (way int, seq Seq) {
	seq = Seq(b.seqs[0].Load())
	for i := 1; i < ways && seq > 0; i++ {
		if s := Seq(b.seqs[i].Load()); s < seq {
			way, seq = i, s
		}
	}
	return way, seq
}

// clear forgets the ways that were ever taken, which are the first ones, and does not touch the memory of others.
func (b *bucket) clear() {
	for i := 0; i < ways && b.seqs[i].Load() > 0; i++ {
		b.tags[i].Store(0)
		b.seqs[i].Store(0)
	}
	b.floor.Store(0)
}
