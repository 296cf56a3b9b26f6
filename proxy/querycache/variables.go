package querycache

import "strings"

// kind is what a variable's values are.
type kind uint8

const (
	choice  kind = iota // query_cache_type
	boolean             // ON and OFF; selected as 1 and 0
	number
	fixed // cannot be set
)

// variable is one of the query cache's.
type variable struct {
	name string
	kind kind
	// global says that sessions have none of their own.
	global bool
}

// variables are in the order in which servers show them.
var variables = []variable{
	{"have_query_cache", fixed, true},
	{"query_cache_limit", number, true},
	{"query_cache_min_res_unit", number, true},
	{"query_cache_size", number, true},
	{"query_cache_strip_comments", boolean, false},
	{"query_cache_type", choice, false},
	{"query_cache_wlock_invalidate", boolean, false},
}

// find returns the variable of that name, which may be in any case; nil if it is none of the query cache's.
func find(name string) *variable {
	for i := range variables {
		if strings.EqualFold(variables[i].name, name) {
			return &variables[i]
		}
	}
	return nil
}

// Known reports whether a name is a variable of the query cache. All are known whatever the servers are, also those that only
// one flavour had.
func Known(name string) bool { return find(name) != nil }

// Owns reports whether rows of that name are Weir's and not a server's, in SHOW VARIABLES and SHOW STATUS.
func Owns(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "query_cache_") || lower == "have_query_cache" || strings.HasPrefix(lower, "qcache_")
}

// Variables gives all of them as SHOW VARIABLES does: the session's values, or the global ones if it is nil.
func (s *Settings) Variables(of *Session) []Row {
	var rows []Row
	for i := range variables {
		v := &variables[i]
		rows = append(rows, Row{v.name, s.shown(v, of)})
	}
	return rows
}

func (s *Settings) shown(v *variable, of *Session) string {
	value := s.value(v, of)
	if v.kind != boolean {
		return value
	}
	if value == "1" {
		return "ON"
	}
	return "OFF"
}

// value is what SELECT @@name gives.
func (s *Settings) value(v *variable, of *Session) string {
	if of == nil {
		global := s.Session()
		of = &global
	}
	switch v.name {
	case "have_query_cache":
		return "YES"
	case "query_cache_limit":
		return whole(s.Limit())
	case "query_cache_min_res_unit":
		return whole(s.unit.Load())
	case "query_cache_size":
		return whole(s.Size())
	case "query_cache_strip_comments":
		return bit(of.StripComments)
	case "query_cache_type":
		return of.Type.String()
	}
	return bit(of.WlockInvalidate)
}

func bit(on bool) string {
	if on {
		return "1"
	}
	return "0"
}
