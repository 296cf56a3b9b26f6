package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"weir/cache/dep"
)

// shapeless is the relation without its columns and keys.
func shapeless(r dep.Relation) dep.Relation {
	r.Shape = nil
	return r
}

// script answers queries by a part of their text, and fails on any other.
type script map[string][][]string

func (s script) Query(_ context.Context, sql string) ([][]string, error) {
	if strings.HasPrefix(sql, "SET ") {
		return nil, nil
	}
	for part, rows := range s {
		if strings.Contains(sql, part) {
			return rows, nil
		}
	}
	return nil, fmt.Errorf("unexpected query %q", sql)
}

// mariaDB is what MariaDB 10.11 answers.
func mariaDB() script {
	return script{
		"SHOW GRANTS":          lines("GRANT SELECT, PROCESS, REPLICATION SLAVE, BINLOG MONITOR, SHOW VIEW, TRIGGER ON *.* TO `weir`@`%`"),
		"'INNODB_SYS_FOREIGN'": {{"INNODB_SYS_FOREIGN"}, {"SYSTEM_VARIABLES"}},
		"information_schema.TABLES WHERE TABLE_SCHEMA NOT": {
			{"s1", "parent", "BASE TABLE", "InnoDB"},
			{"s1", "child", "BASE TABLE", "InnoDB"},
			{"s1", "v", "VIEW", ""},
			{"s1", "seq", "SEQUENCE", "InnoDB"},
			{"s1", "sv", "SYSTEM VERSIONED", "InnoDB"},
			{"s1", "aria", "BASE TABLE", "Aria"},
			{"s1", "mrg", "BASE TABLE", "MRG_MyISAM"},
			{"s1", "calm", "BASE TABLE", "InnoDB"},
			{"s1", "mem", "BASE TABLE", "MEMORY"},
			{"s1", "busy", "BASE TABLE", ""},
			{"s1", "moody", "BASE TABLE", "InnoDB"},
			{"s1", "temp", "TEMPORARY", "InnoDB"},
			{"s1", "hidden", "VIEW", ""},
			{"s1", "gone", "VIEW", ""},
			{"S1", "Child", "BASE TABLE", "MEMORY"},
			{"S1", "ARIA", "BASE TABLE", "InnoDB"},
		},
		"information_schema.VIEWS": {
			{"s1", "v", "select `s1`.`child`.`id` AS `id` from `s1`.`child`"},
			{"s1", "hidden", ""},
		},
		"information_schema.TRIGGERS": {{"s1", "sv"}},
		"information_schema.COLUMNS": {
			{"s1", "moody", "1", "Seen", "datetime", "datetime", "", "", "VIRTUAL GENERATED", "current_timestamp()"},
			{"s1", "sv", "1", "Opens", "time", "time", "", "", "", ""},
			{"s1", "sv", "2", "closes", "time", "time", "", "", "VIRTUAL GENERATED", "addtime(`opens`,'01:00:00')"},
			{"s1", "parent", "2", "ID", "int", "int(11)", "", "", "", ""},
			{"s1", "parent", "1", "K", "int", "int(11)", "", "", "", ""},
			{"s1", "calm", "1", "a", "int", "int(11)", "", "", "", ""},
			{"s1", "aria", "1", "full", "varchar", "varchar(9)", "utf8mb4", "utf8mb4_bin", "VIRTUAL GENERATED", "concat(`a`,`b`)"},
		},
		"information_schema.STATISTICS": {{"s1", "aria", "full", "1", "1", "full", ""}},
		"N_COLS, TYPE FROM information_schema.INNODB_SYS_FOREIGN": {
			{"s1/c", "s1/child", "s1/parent", "2", "1"},
			{"caf@0p/o", "caf@0p/o@0024", "s1/aria", "1", "2"},
			{"s1/a", "s1/aria", "s1/parent", "1", "0"},
			{"s1/went", "s1/child", "s1/sv", "1", "1"},
			{"s1/renamed", "s1/child", "s1/calm", "1", "1"},
		},
		"REF_COL_NAME FROM information_schema.INNODB_SYS_FOREIGN_COLS": {
			{"s1/c", "K"}, {"s1/a", "other"}, {"s1/c", "Id"}, {"caf@0p/o", "full"}, {"s1/renamed", "nosuch"},
		},
		"CONVERT(_filename'caf@0p' USING utf8mb4)": {{"café"}},
	}
}

func TestLoad(t *testing.T) {
	s, err := Load(t.Context(), mariaDB(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		want dep.Relation
		note string
	}{
		{"s1.v", dep.Relation{Kind: dep.View, Definition: "select `s1`.`child`.`id` AS `id` from `s1`.`child`"}, ""},
		{"s1.seq", dep.Relation{Kind: dep.Sequence}, ""},
		{"s1.aria", dep.Relation{Kind: dep.BaseTable}, ""},
		{"s1.mrg", dep.Relation{}, "storage engine MRG_MyISAM"},
		{"s1.mem", dep.Relation{}, "storage engine MEMORY"},
		{"s1.busy", dep.Relation{}, "a statement on the source held it"},
		{"s1.moody", dep.Relation{}, "virtual column Seen"},
		{"s1.sv", dep.Relation{}, "virtual column closes"},
		{"s1.temp", dep.Relation{}, "it is a TEMPORARY"},
		{"s1.hidden", dep.Relation{}, "GRANT SHOW VIEW"},
		{"s1.gone", dep.Relation{}, "went away"},
		{"s1.child", dep.Relation{}, "twice, in different case"},
		{"s1.nosuch", dep.Relation{}, ""},
	} {
		n := nameOf(tt.name)
		if got := shapeless(s.Relation(n)); got != tt.want {
			t.Errorf("%v is %+v, want %+v", n, got, tt.want)
		}
		if got := s.Note(n); !strings.Contains(got, tt.note) || (got == "") != (tt.note == "") {
			t.Errorf("the note of %v is %q, want %q", n, got, tt.note)
		}
	}
	if got := namesText(s.Cascades(nameOf("s1.parent"))); got != "s1.child" {
		t.Errorf("changes of the parent reach %q", got)
	}
	for _, tt := range []struct {
		name    string
		columns string
		known   bool
	}{
		{"s1.parent", "id k", true},
		{"s1.child", "", true}, // a child only
		{"s1.aria", "", false}, // there are two
		{"s1.calm", "", false}, // has no such column
		{"s1.sv", "", false},   // the key's columns were not there to be read
		{"s1.mrg", "", true},   // there is no MyISAM table
		{"s1.nosuch", "", true},
	} {
		if columns, known := s.Referenced(nameOf(tt.name)); strings.Join(columns, " ") != tt.columns || known != tt.known {
			t.Errorf("of %s foreign keys refer to %q, known: %v", tt.name, columns, known)
		}
	}
	if s.Locked() != 2 || s.Len() != 14 || len(s.Warnings()) != 0 {
		t.Errorf("locked %d, names %d, warnings %q", s.Locked(), s.Len(), s.Warnings())
	}
}

// Each answer that is not understood, and each error, must fail the load: a part of a schema is a wrong one.
func TestLoadFails(t *testing.T) {
	for _, tt := range []struct {
		part string
		rows [][]string
		want string
	}{
		{"SHOW GRANTS", lines("GRANT SELECT ON *.* TO `weir`@`%`"), "needs GRANT SELECT, PROCESS"},
		{"SHOW GRANTS", lines("GRANT PROCESS ON *.* TO `weir`@`%`"), "needs GRANT SELECT, PROCESS"},
		{"'INNODB_SYS_FOREIGN'", nil, "is InnoDB switched off?"},
		{"information_schema.VIEWS", [][]string{{"s1", "v"}}, "read views: want 3 columns, have 2"},
		{"CONVERT(_filename'caf@0p' USING utf8mb4)", [][]string{{""}}, "does not know"},
	} {
		q := mariaDB()
		q[tt.part] = tt.rows
		if _, err := Load(t.Context(), q, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want %q", tt.part, err, tt.want)
		}
	}
	for part := range mariaDB() {
		q := mariaDB()
		delete(q, part)
		if _, err := Load(t.Context(), q, nil); err == nil {
			t.Errorf("without an answer for %s the load succeeds", part)
		}
	}
}

// A virtual column must be a function of its row on MySQL, so what it calls does not matter.
func TestVirtualColumnsOnMySQL(t *testing.T) {
	q := mariaDB()
	q["'INNODB_SYS_FOREIGN'"] = [][]string{{"INNODB_FOREIGN"}}
	q["N_COLS, TYPE FROM information_schema.INNODB_FOREIGN"] = [][]string{{"café/k", "café/o$", "s1/parent", "1", "33"}}
	q["REF_COL_NAME FROM information_schema.INNODB_FOREIGN_COLS"] = [][]string{{"café/k", "id"}}
	s, err := Load(t.Context(), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Relation(nameOf("s1.sv")), (dep.Relation{Kind: dep.SystemVersioned, Triggers: true, Versioned: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := namesText(s.Cascades(nameOf("s1.parent"))); got != "café.o$" {
		t.Errorf("changes of the parent reach %q", got)
	}
	if got := s.TimeColumns(nameOf("s1.sv")); !slices.Equal(got, []string{"opens", "closes"}) {
		t.Errorf("TIME columns are %q", got)
	}
}

func TestTriggers(t *testing.T) {
	q := mariaDB()
	q["information_schema.COLUMNS"] = nil
	for _, tt := range []struct {
		grants     string
		name       string
		has, known bool
	}{
		{"SELECT, PROCESS, TRIGGER", "s1.sv", true, true},
		{"SELECT, PROCESS, TRIGGER", "s1.aria", false, true},
		{"SELECT, PROCESS, TRIGGER", "s1.nosuch", true, false},
		{"SELECT, PROCESS", "s1.sv", true, false},
		{"SELECT, PROCESS", "s1.aria", true, false},
	} {
		q["SHOW GRANTS"] = lines("GRANT " + tt.grants + " ON *.* TO `weir`@`%`")
		s, err := Load(t.Context(), q, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := nameOf(tt.name)
		if has, known := s.Triggers(n); has != tt.has || known != tt.known {
			t.Errorf("with %s: %v has triggers: %v, known: %v", tt.grants, n, has, known)
		}
		if got := s.Relation(n).Triggers; got != (tt.has && s.Relation(n).Kind != dep.Unknown) {
			t.Errorf("with %s: the relation %v says triggers: %v", tt.grants, n, got)
		}
	}
}

func TestWarnings(t *testing.T) {
	q := mariaDB()
	q["SHOW GRANTS"] = lines("GRANT SELECT, PROCESS ON *.* TO `weir`@`%`\nREVOKE SELECT ON `s1`.* FROM `weir`@`%`")
	s, err := Load(t.Context(), q, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w := strings.Join(s.Warnings(), "\n"); !strings.Contains(w, "no SHOW VIEW on *.*") || !strings.Contains(w, "no TRIGGER on *.*") {
		t.Errorf("warnings are %q", w)
	}
	if got := s.Note(nameOf("s1.seq")); !strings.Contains(got, "revoked on the schema") {
		t.Errorf("the note of a name in a revoked schema is %q", got)
	}
}

// What a statement holds is left out by name in all queries that would wait for it.
func TestLockedNamesAreLeftOut(t *testing.T) {
	f := newFakeSource()
	f.locked = []string{`it's\`}
	if _, err := Load(t.Context(), f, nil); err != nil {
		t.Fatal(err)
	}
	const leftOut = ` AND NOT (%s_SCHEMA = 's' AND %s_%s = 'it''s\\')`
	for list, want := range map[string]string{
		"VIEWS":    fmt.Sprintf(leftOut, "TABLE", "TABLE", "NAME"),
		"COLUMNS":  fmt.Sprintf(leftOut, "TABLE", "TABLE", "NAME"),
		"TRIGGERS": fmt.Sprintf(leftOut, "EVENT_OBJECT", "EVENT_OBJECT", "TABLE"),
	} {
		asked := slices.IndexFunc(f.queries, func(sql string) bool { return strings.Contains(sql, "FROM information_schema."+list) })
		if sql := f.queries[asked]; !strings.HasSuffix(sql, want) {
			t.Errorf("asked for %s with %s", list, sql)
		}
	}
}

func TestLoadWrapsErrors(t *testing.T) {
	f := newFakeSource()
	f.fail = errors.New("gone away")
	if _, err := Load(t.Context(), f, nil); !errors.Is(err, f.fail) || !strings.HasPrefix(err.Error(), "load the catalogue: prepare the session: ") {
		t.Errorf("got %v", err)
	}
}

// away hides a foreign key from the first question for it.
type away struct {
	*fakeSource
	asked int
}

func (a *away) Query(ctx context.Context, sql string) ([][]string, error) {
	if strings.HasSuffix(sql, "information_schema.INNODB_FOREIGN") {
		if a.asked++; a.asked == 1 {
			return nil, nil
		}
	}
	return a.fakeSource.Query(ctx, sql)
}

func TestPitfall4TableThatIsAwayForAMoment(t *testing.T) {
	a := &away{fakeSource: newFakeSource()}
	a.keys = [][]string{{"s/child", "s/t", "33"}}
	s, err := Load(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := namesText(s.Cascades(tableT)); got != "s.child" {
		t.Errorf("changes of the parent reach %q", got)
	}
}
