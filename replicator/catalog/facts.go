package catalog

import (
	"fmt"
	"strings"

	"weir/cache/dep"
)

// rawName is a name in the spelling of the server, where T and t may be two tables.
type rawName struct {
	schema, table string
}

func (n rawName) fold() dep.Name { return dep.Fold(n.schema, n.table) }

// table is a row of information_schema.TABLES.
type table struct {
	rawName
	kind, engine string
}

// unreadable reports that the server listed the name without opening it, because a statement held it or because it
// is broken. It then says BASE TABLE of anything; only the missing engine tells.
func (t table) unreadable() bool { return t.kind == "BASE TABLE" && t.engine == "" }

// facts is what the queries of a load brought.
type facts struct {
	tables      []table
	definitions map[rawName]string // of views
	triggers    map[rawName]bool
	shapes      map[rawName]*dep.Shape
	times       map[rawName][]string // names of columns of type TIME
	virtual     []column             // those to look at, see mayDiffer
	foreignKeys []foreignKey

	rights rights
	// mariaDB says whose server it is.
	mariaDB bool
	// mayDiffer says that a virtual column may be computed from more than its row, as MariaDB allows.
	mayDiffer bool
}

// assemble makes a snapshot of what was read.
func (f *facts) assemble() *Snapshot {
	s := f.assembleNames()
	s.connect(f.foreignKeys)
	return s
}

// assembleNames is assemble without what foreign keys do.
func (f *facts) assembleNames() *Snapshot {
	s := &Snapshot{
		relations: make(map[dep.Name]dep.Relation, len(f.tables)), notes: map[dep.Name]string{}, times: map[dep.Name][]string{},
		myISAM: map[dep.Name]bool{}, merging: map[dep.Name]bool{}, locked: map[dep.Name]bool{}, untriggered: map[dep.Name]bool{},
		rights: f.rights,
	}
	moody := f.moodyTables()
	for _, t := range f.tables {
		r, v := f.judge(t, moody)
		s.put(t, r, v)
	}
	for n, columns := range f.times {
		if kind := s.relations[n.fold()].Kind; kind == dep.BaseTable || kind == dep.SystemVersioned {
			s.times[n.fold()] = append(s.times[n.fold()], columns...)
		}
	}
	return s
}

// verdict is why a name is unknown. Untriggered says of a table that it certainly has no triggers, for all that.
type verdict struct {
	note        string
	locked      bool
	untriggered bool
}

// judge says what a name stands for.
func (f *facts) judge(t table, moody map[rawName]string) (dep.Relation, verdict) {
	switch {
	case f.rights.revoked[t.schema]:
		return dep.Relation{}, verdict{note: "Weir's account has privileges revoked on the schema"}
	case t.unreadable():
		return dep.Relation{}, verdict{note: "a statement on the source held it while the catalogue was read, or it is broken", locked: true}
	case t.kind == "VIEW":
		return f.judgeView(t)
	case t.kind == "SEQUENCE":
		return dep.Relation{Kind: dep.Sequence}, verdict{}
	}
	return f.judgeTable(t, moody[t.rawName])
}

func (f *facts) judgeView(t table) (dep.Relation, verdict) {
	definition, listed := f.definitions[t.rawName]
	switch {
	case !listed:
		return dep.Relation{}, verdict{note: "the view went away while the catalogue was read", locked: true}
	case definition == "":
		return dep.Relation{}, verdict{note: "the view's definition is hidden from Weir's account; GRANT SHOW VIEW ON *.*"}
	}
	return dep.Relation{Kind: dep.View, Definition: definition}, verdict{}
}

func (f *facts) judgeTable(t table, mood string) (dep.Relation, verdict) {
	kind, triggers := tableKind(t.kind), f.triggers[t.rawName] || !f.rights.triggers
	switch {
	case kind == dep.Unknown:
		return dep.Relation{}, verdict{note: "it is a " + t.kind}
	case !isLogged(t.engine):
		return dep.Relation{}, verdict{note: fmt.Sprintf("rows in storage engine %s can change without a binlog event for the table", t.engine), untriggered: !triggers}
	case mood != "":
		return dep.Relation{}, verdict{note: mood, untriggered: !triggers}
	}
	return dep.Relation{
		Kind: kind, Shape: f.shapeOf(t, kind), Triggers: triggers,
		Versioned: strings.EqualFold(t.engine, "InnoDB"),
	}, verdict{}
}

// shapeOf is nil for a table with system versioning: its rows have a period that may be hidden, and an update adds
// one.
func (f *facts) shapeOf(t table, kind dep.Kind) *dep.Shape {
	if kind != dep.BaseTable {
		return nil
	}
	return f.shapes[t.rawName]
}

// tableKind tells the types of tables that hold rows of their own.
func tableKind(kind string) dep.Kind {
	switch kind {
	case "BASE TABLE":
		return dep.BaseTable
	case "SYSTEM VERSIONED":
		return dep.SystemVersioned
	}
	return dep.Unknown
}

// isLogged tells the engines whose rows change only by statements on this server, which the binlog then has under the
// table's name. Others do not qualify: MERGE shows other tables' rows; FEDERATED, CONNECT, SPIDER and S3 those of
// other servers or files; NDB those that other servers wrote; COLUMNSTORE has bulk loads past the server; a MEMORY
// table is empty after a restart, which the binlog tells only when the table is used again; CSV files are edited.
func isLogged(engine string) bool { return EngineLogged(engine) }

// EngineLogged reports whether results of tables of that engine may be kept.
func EngineLogged(engine string) bool {
	switch strings.ToLower(engine) {
	case "innodb", "myisam", "aria", "rocksdb", "tokudb", "archive":
		return true
	}
	return false
}

// put adds a name. Two that differ only in case are one to Weir; if they are not alike nothing is known of it. Their
// columns are not either: a change to one of them counts as one to the other, whatever columns that has.
func (s *Snapshot) put(t table, r dep.Relation, v verdict) {
	n := t.fold()
	note(s.locked, n, v.locked)
	note(s.myISAM, n, strings.EqualFold(t.engine, "MyISAM"))
	note(s.untriggered, n, v.untriggered)
	note(s.merging, n, strings.EqualFold(t.engine, "MRG_MyISAM") || t.unreadable())
	if before, twice := s.relations[n]; twice {
		delete(s.untriggered, n)
		r.Versioned = r.Versioned && before.Versioned
		before.Versioned = r.Versioned
		r.Shape, before.Shape = nil, nil
		if before != r {
			r, v = dep.Relation{}, verdict{note: "the schema has this name twice, in different case"}
		}
	}
	s.relations[n] = r
	if v.note != "" {
		s.notes[n] = v.note
	}
}

// note adds a name to a set if it belongs there.
func note(set map[dep.Name]bool, n dep.Name, belongs bool) {
	if belongs {
		set[n] = true
	}
}
