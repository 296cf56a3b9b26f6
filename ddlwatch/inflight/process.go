package inflight

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"weir/cache/dep"
)

// process is a statement that runs.
type process struct {
	id       uint64
	schema   string
	elapsed  time.Duration
	state    string
	sql      string
	cut      bool // sql is not all of it
	stage    string
	progress float64
}

// dataVerbs are the first six letters of statements that are certainly no DDL and run far more often than any. SET and
// BEGIN are not among them: MariaDB has SET STATEMENT ... FOR ALTER, and BEGIN NOT ATOMIC.
const dataVerbs = "'select','insert','update','delete','replac','commit','rollba'"

// notData is the condition on a column with a statement's text that it may be DDL. A comment in front, or a line
// break, makes it be one that may.
func notData(column string) string {
	return "LOWER(LEFT(LTRIM(" + column + "),6)) NOT IN (" + dataVerbs + ")"
}

// isWaiting is the condition on a column with a thread's state that it waits for a table's metadata lock, or for the
// table to be closed by those who use it.
func isWaiting(column string) string {
	return column + " IN ('Waiting for table metadata lock','Waiting for table flush')"
}

// waits says the same of the statement of a process.
func (p process) waits() bool {
	return p.state == "Waiting for table metadata lock" || p.state == "Waiting for table flush"
}

// held says that the statement waits for a metadata lock of any kind: a DDL also needs those of its schema, of what
// keeps backups consistent, and the global one.
func (p process) held() bool {
	return p.waits() || strings.HasPrefix(p.state, "Waiting for ") &&
		(strings.HasSuffix(p.state, " metadata lock") || strings.HasSuffix(p.state, "backup lock") ||
			strings.HasSuffix(p.state, "global read lock"))
}

// sort tells the DDL from the rest of what runs, and what waits for a table's metadata lock, DDL or not, from what
// does not. It forgets DDL that is over.
func (s *server) sort(running []process, now time.Time) (ddls []DDL, waits []process) {
	before := s.began
	s.began = map[key]begun{}
	for _, p := range running {
		if p.waits() {
			waits = append(waits, p)
		}
		if d, ok := s.ddl(p, before, now); ok {
			ddls = append(ddls, d)
		}
	}
	return ddls, waits
}

// ddl makes a DDL of a process, if it runs one.
func (s *server) ddl(p process, before map[key]begun, now time.Time) (DDL, bool) {
	k := key{id: p.id, sql: p.sql}
	b, known := before[k]
	if since := now.Add(-p.elapsed); !known || since.Sub(b.at) > resolution {
		var ok bool
		if b.kind, b.tables, ok = s.classify(p); !ok {
			return DDL{}, false
		}
		b.at = since
	}
	s.began[k] = b
	return DDL{
		Server: s.target.Addr, Source: s.target.Source, ID: p.id,
		Statement: public(p.sql), Kind: b.kind, Tables: slices.Clone(b.tables), Since: b.at,
		Stage: p.stage, Progress: p.progress, Waiting: p.held(),
	}, true
}

// resolution is by how much the beginning of one statement may seem to differ from look to look: servers tell whole
// seconds, and answers take time. A connection that runs the same text again after less is not told apart.
const resolution = 1500 * time.Millisecond

// classify reads a statement.
func (s *server) classify(p process) (kind string, tables []dep.Name, ddl bool) {
	kind, tables, ddl = s.read(p.schema, p.sql)
	if kind == unknown && p.cut {
		kind, tables, ddl = s.beginning(p)
	}
	return kind, tables, ddl || kind == unknown && mayBeDDL(p.sql)
}

const unknown = "unknown"

// beginning reads the longest beginning that can be read of a text of which the end is missing. It need not name all
// tables; those that the statement has locked are added by [DDL.learn].
func (s *server) beginning(p process) (kind string, tables []dep.Name, ddl bool) {
	for cut := p.sql; ; {
		end := strings.LastIndexAny(cut, " \t\r\n,(")
		if end < 0 {
			return unknown, nil, false
		}
		cut = cut[:end]
		if kind, tables, ddl = s.read(p.schema, cut); kind != unknown {
			return kind, tables, ddl
		}
	}
}

// number reads a number that may be missing, which is NaN.
func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// lasting reads a time in seconds. Servers count from clocks that may be set, so that it may be negative or absurd;
// it is then taken for none.
func lasting(seconds string) time.Duration {
	const absurd = 10 * 365 * 24 * 3600
	n := number(seconds)
	if !(n > 0 && n < absurd) {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}

// share is a part of a whole, from 0 to 1, or NaN.
func share(part, whole float64) float64 {
	if !(whole > 0 && part >= 0) {
		return math.NaN()
	}
	return min(part/whole, 1)
}

// wide checks that each row has so many columns: what follows takes them by number.
func wide(rows [][]string, columns int) error {
	for _, row := range rows {
		if len(row) != columns {
			return fmt.Errorf("a row of %d columns instead of %d", len(row), columns)
		}
	}
	return nil
}

// connection reads the id of one; 0 if there is none, as of a transaction that is prepared and waits for its XA COMMIT.
func connection(id string) uint64 {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
