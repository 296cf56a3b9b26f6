package proxy

import (
	"fmt"
	"slices"
	"strings"

	"weir/cache/dep"
	"weir/proxy/explain"
	"weir/proxy/wire"
)

// explainKey says what [session.makePrefix] puts into the key.
func (s *session) explainKey() explain.Key {
	k := explain.Key{
		Account: s.account.user, Schema: s.state.schema, Protocol: "text", Collation: s.collationInWords(),
		Settings: []explain.Setting{}, Capabilities: []string{},
	}
	called := strings.Split(s.defaults.account, "\x00")
	if k.ServerAccount = called[0]; len(called) > 1 && called[1] != "" && called[1] != "NONE" {
		k.Roles = called[1]
	}
	for _, v := range s.state.settings {
		k.Settings = append(k.Settings, explain.Setting{Name: v.name, Value: v.value})
	}
	for _, c := range []struct {
		flag wire.Capability
		name string
	}{{wire.ClientIgnoreSpace, "CLIENT_IGNORE_SPACE"}, {wire.ClientExtendedMetadata, "MARIADB_CLIENT_EXTENDED_METADATA"}} {
		if s.poolKey.flags.Has(c.flag) {
			k.Capabilities = append(k.Capabilities, c.name)
		}
	}
	return k
}

// collationInWords is that of the handshake, as the server understood it.
func (s *session) collationInWords() string {
	if s.defaults.collation == "" {
		return fmt.Sprintf("id %d", s.poolKey.collation)
	}
	return fmt.Sprintf("%s (id %d)", s.defaults.collation, s.poolKey.collation)
}

// explainTables says what a statement reads, with the base tables behind each view.
func (s *session) explainTables(names []dep.Name) []explain.Table {
	out := make([]explain.Table, len(names))
	for i, n := range names {
		out[i] = explain.Table{Name: n.String(), Reads: []string{}}
		if s.isView(n) {
			out[i].View, out[i].Reads = true, s.behind(n)
		}
	}
	return out
}

func (s *session) isView(n dep.Name) bool {
	snapshot, _ := s.server.schema.Snapshot()
	return snapshot.Relation(n).Kind == dep.View
}

// behind returns the tables that are no views behind a view, whatever lies between.
func (s *session) behind(view dep.Name) []string {
	st := s.analyze("SELECT * FROM " + quoted(view.Schema) + "." + quoted(view.Table))
	names := []string{}
	for _, n := range st.Tables {
		if !s.isView(n) {
			names = append(names, n.String())
		}
	}
	slices.Sort(names)
	return names
}

func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// explainStaleness says how old an answer from the cache may be, and could be at most.
func (s *session) explainStaleness() explain.Staleness {
	ledger := s.server.cache.Ledger()
	now := ledger.Now()
	out := explain.Staleness{Bound: explain.SecondsOf(max(s.bound(), 0)), Current: ledger.Current(now, s.bound())}
	if complete, ok := ledger.CompleteAsOf(); ok {
		since := explain.SecondsOf(max(now-complete, 0))
		out.Complete = &since
	}
	return out
}
