package proxy

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/proxy/explain"
	"weir/proxy/querycache"
	"weir/proxy/statement"
	"weir/proxy/wire"
)

// explainSession is a session whose cache has the answer to the text.
func explainSession(t *testing.T) (s *session, text string) {
	t.Helper()
	s, _, b := hitSession(t)
	s.server.schema = anyTable{}
	return s, string(b)
}

func (s *session) explained(text string) *explain.Explanation {
	return s.explain(context.Background(), text, s.analyze(text))
}

// Each state of a session, and of Weir, in which a statement is not answered from the cache has a reason of its own, which is the
// label under which metrics count it.
var sessionCauses = []struct {
	name    string
	change  func(*session)
	verdict explain.Verdict
	reason  string
	says    string // a part of sentence and detail
}{
	{"nothing", func(*session) {}, explain.Cached, "", explain.CachedSentence},
	{"pitfall 25, a setting that is not followed", func(s *session) { s.bypass = "SET timestamp" }, explain.NotNow, "session", "SET timestamp"},
	{"pitfall 25, a setting that is not known yet", func(s *session) { s.assigned = []string{"sql_mode"} }, explain.NotNow, "session", explain.AssignedSentence},
	{"pitfall 25, a setting under which nothing is cached", func(s *session) {
		s.setState(state{schema: "shop", settings: settings{{"sql_auto_is_null", "1"}}})
	}, explain.NotNow, "session", "sql_auto_is_null"},
	{"a trigger that may have fired", func(s *session) { s.doubts = []doubted{{}} }, explain.NotNow, "session", explain.DoubtsSentence},
	{"pitfall 29, a transaction", func(s *session) { s.pinned = &conn{status: wire.StatusInTrans} }, explain.NotNow, "transaction", "in a transaction"},
	{"pitfall 29, a transaction with a snapshot", func(s *session) {
		s.pinned, s.tx = &conn{status: wire.StatusInTrans}, &transaction{}
	}, explain.NotNow, "transaction", explain.SnapshotSentence},
	{"pitfall 29, settings of the next transaction", func(s *session) {
		s.pinned, s.pins.oneShot = &conn{status: wire.StatusAutocommit}, true
	}, explain.NotNow, "transaction", explain.OneShotSentence},
	{"pitfall 28, locked tables", func(s *session) {
		s.pinned, s.pins.locked = &conn{status: wire.StatusAutocommit}, true
	}, explain.NotNow, "session", explain.LockedSentence},
	{"pitfall 31, accounts have changed", func(s *session) {
		s.account = &account{user: s.account.user}
		s.server.cache.Ledger().Record(11, []cache.Tag{dep.Accounts().Tag()})
	}, explain.NotNow, "account", "Something about accounts"},
	{"a bound of nothing", func(s *session) { s.staleness = 0 }, explain.NotNow, "directive", "weir_max_staleness_ms"},
	{"OFF", func(s *session) { s.under(querycache.Off) }, explain.NotNow, "query_cache_off", "OFF"},
	{"DEMAND", func(s *session) {
		s.server.cache.Clear()
		s.under(querycache.Demand)
	}, explain.NotNow, "query_cache_demand", "SQL_CACHE"},
	{"OBSERVE", func(s *session) { s.under(querycache.Observe) }, explain.NotNow, "query_cache_observe", "OBSERVE"},
	{"an own write", func(s *session) { s.fence = s.server.cache.Ledger().Now() + time.Hour }, explain.NotNow, "own_write", "just written"},
	{"a stream that is not current", func(s *session) { s.staleness = 1 }, explain.NotNow, "not_current", "change stream"},
	{"dirty reads", func(s *session) {
		s.server.cache.Clear()
		s.defaults.dirtyReads = true
	}, explain.NotNow, "unproved", "READ UNCOMMITTED"},
	{"no results at all", func(s *session) {
		s.server.cache.Clear()
		s.server.cache.SetLimit(0)
	}, explain.NotNow, "too_large", "query_cache_limit"},
	{"a table that does not pay", func(s *session) {
		s.server.cache.Clear()
		s.neverPays("shop.products", "table")
	}, explain.NotNow, "not_paying", "shop.products by table, for another 10s"},
	{"an entry from before DEMAND", func(s *session) { s.under(querycache.Demand) }, explain.Cached, "", explain.CachedSentence},
	{"a change", func(s *session) {
		s.server.cache.Ledger().Record(11, []cache.Tag{dep.Fold("shop", "products").Tag()})
	}, explain.Storable, "", "can be cached"},
}

// under begins the session again under another query_cache_type.
func (s *session) under(t querycache.Type) {
	s.server.settings = querycache.New(querycache.Initial{Type: t, Size: 1 << 20, Limit: 1 << 20}, s.server.cache, s.server.queryCacheTally)
	s.variables = s.server.settings.Session()
}

func TestExplainSaysWhyNotNow(t *testing.T) {
	for _, c := range sessionCauses {
		t.Run(c.name, func(t *testing.T) {
			s, text := explainSession(t)
			c.change(s)
			e := s.explained(text)
			if e.Verdict != c.verdict || e.Reason != c.reason || !strings.Contains(e.Sentence+" "+e.Detail, c.says) {
				t.Errorf("it is %s, for the reason %q: %s (%s)", e.Verdict, e.Reason, e.Sentence, e.Detail)
			}
			if hit := s.mayHit() && s.cached(s.makeKey([]byte(text))) != nil; hit != (e.Verdict == explain.Cached) {
				t.Errorf("it is %s, and the statement itself is a hit: %v", e.Verdict, hit)
			}
		})
	}
}

// neverPays ends as many results of the table as it takes until they are refused.
func (s *session) neverPays(table, grain string) {
	c := s.server.cache
	name := dep.Fold("shop", "products")
	share := []cache.Share{{Yield: c.Yield(table, grain), Tags: 1}}
	for seq := cache.Seq(11); seq < 300; seq++ {
		e := cache.NewEntry([]byte("key"), []byte("answer"), dep.Tags([]dep.Name{name}), c.Ledger().Mark())
		e.Shares = share
		c.Put(e, time.Hour)
		c.Ledger().Record(seq, []cache.Tag{name.Tag()})
	}
}

// TestExplainHasACaseForEachReason: whoever adds a label to [session.why] adds a case, and a sentence.
func TestExplainHasACaseForEachReason(t *testing.T) {
	b, err := os.ReadFile("query.go")
	if err != nil {
		t.Fatal(err)
	}
	_, why, _ := strings.Cut(string(b), ") why(st statement.Statement) string {")
	why, _, _ = strings.Cut(why, "\n}\n")
	labels := regexp.MustCompile(`return "([a-z_]+)"`).FindAllStringSubmatch(why, -1)
	if len(labels) < 4 {
		t.Fatalf("%d labels were found in\n%s", len(labels), why)
	}
	for _, l := range append(labels, []string{"", string(statement.Directive)}) {
		if explain.SessionSentence(l[1]) == explain.SessionSentence("") {
			t.Errorf("there is no sentence for %s", l[1])
		}
		found := false
		for _, c := range sessionCauses {
			found = found || c.reason == l[1]
		}
		if !found {
			t.Errorf("there is no case for %s", l[1])
		}
	}
}

// An entry that a change has ended is told with what changed, and the transaction that did it, as long as it is remembered; of
// other tables in that transaction nothing is said.
func TestExplainNamesTheChange(t *testing.T) {
	s, text := explainSession(t)
	s.server.remembered = func(seq cache.Seq) (explain.Change, bool) {
		return explain.Change{
			Place: explain.Place{Position: "binlog.000001:11"}, GTID: "0-1-5", Recorded: time.Now().Add(-time.Minute),
			Tables: []explain.TableChange{{Name: "hr.salaries", Kind: "update", Rows: 3}, {Name: "shop.products", Kind: "delete", Rows: 2}},
		}, seq == 11
	}
	s.server.cache.Ledger().Record(11, []cache.Tag{dep.Fold("shop", "products").Tag()})
	e := s.explained(text)
	if e.Entry.Tier != explain.InMemory || e.Entry.Servable || e.Entry.Why != cache.WhyChanged || e.Entry.Changed != "table shop.products" {
		t.Errorf("the entry is %+v", e.Entry)
	}
	said := ""
	for _, i := range e.Items() {
		said += i.Name + ": " + i.Value + "\n"
	}
	for _, want := range []string{
		"Entry: in memory, not served: what it depends on has changed since: table shop.products\n",
		"Last change: at binlog.000001:11; GTID 0-1-5; delete of shop.products, 2 rows; 1m0s ago\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "salaries") {
		t.Errorf("it tells of a table that the statement does not read:\n%s", said)
	}
}

// To explain is no use of an entry, and of nothing else: no hit is counted, no interest taken up.
func TestExplainCountsNothing(t *testing.T) {
	s, text := explainSession(t)
	watched := s.server.interest.Version()
	for range 3 {
		s.explained(text)
	}
	if n := s.server.digests.Hits(); n != 0 {
		t.Errorf("%d hits are counted", n)
	}
	if i := s.server.cache.Inspect(s.makeKey([]byte(text)), time.Hour); i.Hits != 0 {
		t.Errorf("the entry has %d hits", i.Hits)
	}
	if s.server.interest.Version() != watched {
		t.Error("an interest was taken up")
	}
}
