package daemon

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"
)

// trickster does to what is in Redis what Redis itself, or somebody with access to it, may do: it goes back to what it was
// at some time before, forgets, swaps, and damages. Weirs must answer right all the same.
type trickster struct {
	t       testing.TB
	client  *redis.Client
	rand    *rand.Rand
	earlier []map[string]string // what was there at times, as DUMP gives it
	tricks  map[string]int
}

func (f *fleet) trickster(random *rand.Rand) *trickster {
	f.t.Helper()
	k := &trickster{t: f.t, client: redis.NewClient(&redis.Options{Addr: f.redis.Addr(), MaxRetries: 5}), rand: random, tricks: map[string]int{}}
	f.t.Cleanup(func() { k.client.Close() })
	return k
}

// any plays one trick, or remembers what is there for a later one.
func (k *trickster) any() {
	k.t.Helper()
	switch n := k.rand.IntN(12); {
	case n < 4:
		k.remember()
	case n < 8:
		k.goBack()
	case n < 9:
		k.count("forget")
		k.must(k.client.FlushAll(k.t.Context()).Err())
	case n < 10:
		k.swap()
	default:
		k.damage()
	}
}

func (k *trickster) count(trick string) { k.tricks[trick]++ }

func (k *trickster) must(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// all is what is there.
func (k *trickster) all() map[string]string {
	k.t.Helper()
	all := map[string]string{}
	scan := k.client.Scan(k.t.Context(), 0, "*", 1000).Iterator()
	for scan.Next(k.t.Context()) {
		v, err := k.client.Dump(k.t.Context(), scan.Val()).Result()
		if err == nil { // or it has expired meanwhile
			all[scan.Val()] = v
		}
	}
	k.must(scan.Err())
	return all
}

// earlierAtMost is how many times are remembered.
const earlierAtMost = 4

func (k *trickster) remember() {
	k.t.Helper()
	if k.earlier = append(k.earlier, k.all()); len(k.earlier) > earlierAtMost {
		at := k.rand.IntN(earlierAtMost)
		k.earlier = slices.Delete(k.earlier, at, at+1)
	}
}

// goBack makes it what it was at a time that is remembered, or adds that to what is there.
func (k *trickster) goBack() {
	k.t.Helper()
	if len(k.earlier) == 0 {
		return
	}
	k.count("go back")
	pipe := k.client.Pipeline()
	if k.rand.IntN(2) == 0 {
		pipe.FlushAll(k.t.Context())
	}
	for key, v := range k.earlier[k.rand.IntN(len(k.earlier))] {
		pipe.RestoreReplace(k.t.Context(), key, 0, v)
	}
	_, err := pipe.Exec(k.t.Context())
	k.must(err)
}

// swap gives every key what another key has, of the same kind as it may be.
func (k *trickster) swap() {
	k.t.Helper()
	k.count("swap")
	all := k.all()
	pipe := k.client.Pipeline()
	before := ""
	for key, v := range all { // in no order
		if before != "" {
			pipe.RestoreReplace(k.t.Context(), before, 0, v)
		}
		before = key
	}
	_, err := pipe.Exec(k.t.Context())
	k.must(err)
}

// damage changes some bytes of every second value.
func (k *trickster) damage() {
	k.t.Helper()
	k.count("damage")
	for key := range k.all() {
		switch kind := k.client.Type(k.t.Context(), key).Val(); {
		case k.rand.IntN(2) == 0:
		case kind == "string":
			k.client.SetArgs(k.t.Context(), key, k.damaged(k.client.Get(k.t.Context(), key).Val()), redis.SetArgs{KeepTTL: true})
		case kind == "hash":
			for field, v := range k.client.HGetAll(k.t.Context(), key).Val() {
				k.client.HSet(k.t.Context(), key, field, k.damaged(v))
			}
		}
	}
}

// damaged is the value with bytes that are different, missing, or too many.
func (k *trickster) damaged(v string) string {
	b := []byte(v)
	if len(b) == 0 {
		return "x"
	}
	switch k.rand.IntN(4) {
	case 0:
		return string(b[:k.rand.IntN(len(b))])
	case 1:
		return v + "x"
	case 2:
		for range 1 + k.rand.IntN(8) {
			b[k.rand.IntN(len(b))] = byte(k.rand.Uint32())
		}
		return string(b)
	}
	b[k.rand.IntN(len(b))] ^= 1 << k.rand.IntN(8)
	return string(b)
}

// loseNotes takes away what Weirs have left for each other beside results.
func (k *trickster) loseNotes() {
	k.t.Helper()
	for _, key := range k.notes() {
		k.must(k.client.Del(k.t.Context(), key).Err())
	}
}

// notes are where that is: places in the stream, and what they are interested in.
func (k *trickster) notes() (keys []string) {
	k.t.Helper()
	for key := range k.all() {
		if k.client.Type(k.t.Context(), key).Val() == "hash" {
			keys = append(keys, key)
		}
	}
	return keys
}
