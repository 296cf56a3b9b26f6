package cache

import "testing"

// What S3-FIFO keeps and what it lets go. The stores here have one shard, so that the numbers are exact.

func oneShard(t *testing.T, size int64) (*Store, *shard) {
	t.Helper()
	s := NewStore(size, size/8)
	if len(shardsOf(s)) != 1 {
		t.Fatalf("%d shards", len(shardsOf(s)))
	}
	return s, shardsOf(s)[0]
}

// queueOf says where an entry is.
func queueOf(s *shard, key string) string {
	it := s.table.Load().find(Hash([]byte(key)), []byte(key))
	switch {
	case it == nil:
		return "none"
	case it.queue == &s.small:
		return "small"
	default:
		return "main"
	}
}

func putAll(s *Store, keys []string) {
	for _, k := range keys {
		put(s, entryOfSize(k, 100))
	}
}

func TestAdmission(t *testing.T) {
	const room = 1000 // entries
	size := room * sizeOf(entryOfSize("key 000000", 100))
	tests := []struct {
		name string
		play func(s *Store)
		want string // the queue of "it"
	}{
		{"new", func(s *Store) { put(s, entryOf("it", "")) }, "small"},
		{"new and hit", func(s *Store) { put(s, entryOf("it", "")); get(s, "it") }, "small"},
		{"never hit, pushed out", func(s *Store) { put(s, entryOf("it", "")); putAll(s, keys("scan", 2*room)) }, "none"},
		{"hit once, then a scan", func(s *Store) {
			put(s, entryOf("it", ""))
			get(s, "it")
			putAll(s, keys("scan", 2*room))
		}, "main"},
		{"pushed out and put again", func(s *Store) {
			put(s, entryOf("it", ""))
			putAll(s, keys("scan", room+10))
			put(s, entryOf("it", ""))
		}, "main"},
		{"put again after a very long time", func(s *Store) {
			put(s, entryOf("it", ""))
			putAll(s, keys("scan", 40*room))
			put(s, entryOf("it", ""))
		}, "small"},
		{"replaced in small", func(s *Store) { put(s, entryOf("it", "")); put(s, entryOf("it", "x")) }, "small"},
		{"replaced in main", func(s *Store) {
			put(s, entryOf("it", ""))
			get(s, "it")
			putAll(s, keys("scan", 2*room))
			put(s, entryOf("it", "x"))
		}, "main"},
		{"replaced, keeps the hits of its predecessor", func(s *Store) {
			put(s, entryOf("it", ""))
			get(s, "it")
			put(s, entryOf("it", "x"))
			putAll(s, keys("scan", 2*room))
		}, "main"},
		{"taken out by Clear, which forgets what was evicted", func(s *Store) {
			put(s, entryOf("it", ""))
			putAll(s, keys("scan", room+10))
			s.Clear()
			putAll(s, keys("scan", room))
			put(s, entryOf("it", ""))
		}, "small"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, shard := oneShard(t, size)
			tt.play(s)
			if got := queueOf(shard, "it"); got != tt.want {
				t.Errorf("it is in the queue %s, want %s", got, tt.want)
			}
			checkStore(t, s)
		})
	}
}

// TestScanResistance: what is asked for again survives ten times as many results that nobody wants twice.
func TestScanResistance(t *testing.T) {
	const room, hot = 1000, 500
	s, _ := oneShard(t, room*sizeOf(entryOfSize("key 000000", 100)))
	wanted := keys("hot", hot)
	putAll(s, wanted)
	if got := countHeld(s, wanted); got != hot { // one hit each
		t.Fatalf("%d of %d hot entries are stored", got, hot)
	}
	putAll(s, keys("scan", 10*hot))
	if got := countHeld(s, wanted); got != hot {
		t.Errorf("%d of %d hot entries have survived the scan", got, hot)
	}
	if st := s.Stats(); st.Bytes < st.Budget*9/10 || st.Evictions == 0 {
		t.Errorf("the scan did not fill the store: %+v", st)
	}
	checkStore(t, s)
}

// TestMainForgets: however hot something was, it does not stay for long once others are asked for instead.
func TestMainForgets(t *testing.T) {
	const room = 1000
	s, _ := oneShard(t, room*sizeOf(entryOfSize("key 000000", 100)))
	old := keys("old", room/2)
	putAll(s, old)
	for range 50 {
		countHeld(s, old)
	}
	for round := range 20 {
		next := keysFrom("new", round*room/2, room/2)
		putAll(s, next)
		countHeld(s, next)
	}
	if got := countHeld(s, old); got != 0 {
		t.Errorf("%d entries are still there that nobody has asked for in a long time", got)
	}
	checkStore(t, s)
}

// TestGhostSurvivesRebuild: the table is rebuilt now and then; what was evicted just before that is not forgotten.
func TestGhostSurvivesRebuild(t *testing.T) {
	const room = 1000
	s, shard := oneShard(t, room*sizeOf(entryOfSize("key 000000", 100)))
	remembered, rebuilds := 0, 0
	for _, k := range keys("key", 10*room) {
		table := shard.table.Load()
		put(s, entryOfSize(k, 100))
		if shard.table.Load() == table {
			continue
		}
		rebuilds++
		for _, h := range shard.ghost.hashes {
			if h != 0 {
				remembered++
			}
		}
	}
	if rebuilds < 5 || remembered < rebuilds*room/4 {
		t.Errorf("after %d rebuilds %d evicted keys are remembered", rebuilds, remembered)
	}
}
