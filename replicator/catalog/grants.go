package catalog

import (
	"errors"
	"maps"
	"strings"
)

// rights is what SHOW GRANTS says of Weir's account. Unlike information_schema.USER_PRIVILEGES it counts active roles,
// on MySQL and on MariaDB, and tells what MySQL's partial revokes take away.
type rights struct {
	read     bool // SELECT on all tables: without it tables, or columns of them, are left out silently
	process  bool // PROCESS: without it the list of foreign keys is an error
	showView bool // SHOW VIEW: without it definitions are empty
	triggers bool // TRIGGER: without it triggers are left out silently
	// revoked are the schemas from which MySQL excludes the account (partial_revokes).
	revoked map[string]bool
}

// parseGrants reads the rows of SHOW GRANTS. Only what is granted on all schemas counts.
func parseGrants(rows [][]string) rights {
	r := rights{revoked: map[string]bool{}}
	for _, row := range rows {
		r.add(row[0])
	}
	return r
}

func (r rights) same(as rights) bool {
	return r.read == as.read && r.process == as.process && r.showView == as.showView && r.triggers == as.triggers &&
		maps.Equal(r.revoked, as.revoked)
}

// add reads GRANT privileges ON object TO account, or REVOKE privileges ON object FROM account.
func (r *rights) add(grant string) {
	if rest, ok := strings.CutPrefix(grant, "GRANT "); ok {
		what, rest, _ := strings.Cut(rest, " ON ")
		if object, _, _ := strings.Cut(rest, " TO "); object == "*.*" {
			r.addPrivileges(what)
		}
	}
	if rest, ok := strings.CutPrefix(grant, "REVOKE "); ok {
		_, rest, _ = strings.Cut(rest, " ON ")
		r.revoke(rest[:max(0, strings.LastIndex(rest, " FROM "))])
	}
}

func (r *rights) addPrivileges(list string) {
	for privilege := range strings.SplitSeq(list, ",") {
		r.addPrivilege(strings.TrimSpace(privilege))
	}
}

func (r *rights) addPrivilege(privilege string) {
	all := privilege == "ALL PRIVILEGES" || privilege == "ALL"
	r.read = r.read || all || privilege == "SELECT"
	r.process = r.process || all || privilege == "PROCESS"
	r.showView = r.showView || all || privilege == "SHOW VIEW"
	r.triggers = r.triggers || all || privilege == "TRIGGER"
}

// revoke notes a schema, as in `shop`.*: managed servers exclude the system schemas so, which are never looked at.
func (r *rights) revoke(object string) {
	schema, ok := strings.CutSuffix(object, ".*")
	if ok {
		schema = strings.ReplaceAll(strings.Trim(schema, "`"), "``", "`")
		r.revoked[schema] = true
	}
}

// errRights says what no load can do without.
var errRights = errors.New("the account on the source needs GRANT SELECT, PROCESS ON *.*: without SELECT Weir does not see all tables and columns, without PROCESS no foreign keys")

// CheckGrants reports what no load can do without. It takes the rows of SHOW GRANTS.
func CheckGrants(rows [][]string) error { return parseGrants(rows).check() }

func (r rights) check() error {
	if !r.read || !r.process {
		return errRights
	}
	return nil
}

func (r rights) warnings() []string {
	var w []string
	if !r.showView {
		w = append(w, "Weir's account on the source has no SHOW VIEW on *.*: queries on views are not cached")
	}
	if !r.triggers {
		w = append(w, "Weir's account on the source has no TRIGGER on *.*: a change that is logged as a statement makes everything cached unservable")
	}
	return w
}
