package check

import (
	"context"
	"fmt"
	"strings"

	"weir/cache/dep"
	"weir/cmd/weir/daemon"
	"weir/replicator"
	"weir/replicator/catalog"
)

// userSchemas leaves out what belongs to the server.
const userSchemas = "TABLE_SCHEMA NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys')"

// readSchema counts what matters of the tables. Nothing is counted if something could not be read, or if the account does not
// see all of it: half a count says less than none.
func (s *Server) readSchema(ctx context.Context, a daemon.Access, progress Progress) {
	if !s.startsWith() {
		return
	}
	session := replicator.NewSession(a.Addr, a.Replicator.User, a.Replicator.Password, readTimeout, a.Replicator.TLS)
	defer session.Close()
	r := schemaReader{ctx: ctx, session: session, server: s, progress: progress, schema: &Schema{Coarse: map[string]*Some{}}}
	r.readTables()
	r.readColumns()
	r.readForeignKeys()
	r.readTriggers()
	if s.SchemaErr = r.err; r.err == nil {
		s.Schema = r.schema
	}
}

type schemaReader struct {
	ctx      context.Context
	session  *replicator.Session
	server   *Server
	progress Progress
	schema   *Schema
	schemas  []string
	tables   map[string][]string // by schema
	err      error
}

func (r *schemaReader) query(sql string) [][]string {
	if r.err != nil {
		return nil
	}
	rows, err := r.session.Query(r.ctx, sql)
	r.err = err
	return rows
}

// readTables asks for what MariaDB knows without opening tables.
func (r *schemaReader) readTables() {
	r.progress("listing the tables of " + r.server.Addr)
	r.tables = map[string][]string{}
	for _, row := range r.query("SELECT TABLE_SCHEMA, TABLE_NAME, ENGINE FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE' AND " + userSchemas + " ORDER BY 1, 2") {
		schema, name, engine := row[0], row[1], row[2]
		if r.tables[schema] == nil {
			r.schemas = append(r.schemas, schema)
		}
		r.tables[schema] = append(r.tables[schema], name)
		r.schema.Tables++
		r.countEngine(schema+"."+name, engine)
	}
}

func (r *schemaReader) countEngine(name, engine string) {
	switch strings.ToLower(engine) {
	case "innodb", "rocksdb", "tokudb":
	default:
		if catalog.EngineLogged(engine) {
			r.schema.Untransactional.add(name)
		} else {
			r.schema.Uncached.add(name)
		}
	}
}

// readColumns goes schema by schema, since servers read definitions one by one.
func (r *schemaReader) readColumns() {
	done := 0
	for _, schema := range r.schemas {
		r.progress(fmt.Sprintf("reading the columns of %s: %d of %d tables", r.server.Addr, done, r.schema.Tables))
		r.readColumnsOf(schema)
		done += len(r.tables[schema])
	}
}

func (r *schemaReader) readColumnsOf(schema string) {
	keyed := map[string]bool{}
	rows := r.query("SELECT TABLE_NAME, COLUMN_NAME, COLUMN_KEY, DATA_TYPE, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLUMNS" +
		" WHERE TABLE_SCHEMA = " + quote(schema) + " AND (COLUMN_KEY = 'PRI' OR COLLATION_NAME IS NOT NULL) ORDER BY TABLE_NAME, ORDINAL_POSITION")
	for _, row := range rows {
		if row[2] == "PRI" {
			keyed[row[0]] = true
		}
		if row[6] != "" {
			r.countCollation(schema, row)
		}
	}
	if r.err != nil {
		return
	}
	for _, name := range r.tables[schema] {
		if !keyed[name] {
			r.schema.Unkeyed.add(schema + "." + name)
		}
	}
}

func (r *schemaReader) countCollation(schema string, row []string) {
	if row[3] == "set" || row[3] == "json" {
		return // never told by values, whatever the collation
	}
	if dep.TypeOf(dep.Described{DataType: row[3], ColumnType: row[4], Charset: row[5], Collation: row[6], MariaDB: r.server.MariaDB}).Class != dep.Opaque {
		return
	}
	if r.schema.Coarse[row[6]] == nil {
		r.schema.Coarse[row[6]] = &Some{}
	}
	r.schema.Coarse[row[6]].add(schema + "." + row[0] + "." + row[1])
}

// readForeignKeys reads InnoDB's own list, as the catalogue does. The lower four bits of its type are CASCADE and SET NULL.
func (r *schemaReader) readForeignKeys() {
	list := "INNODB_FOREIGN"
	if r.server.MariaDB {
		list = "INNODB_SYS_FOREIGN"
	}
	for _, row := range r.query("SELECT DISTINCT FOR_NAME FROM information_schema." + list + " WHERE TYPE & 15 <> 0 ORDER BY 1") {
		r.schema.Cascading.add(strings.Replace(row[0], "/", ".", 1))
	}
}

func (r *schemaReader) readTriggers() {
	r.schema.Triggers = r.server.holds("TRIGGER")
	r.progress("reading the triggers of " + r.server.Addr)
	for _, row := range r.query("SELECT DISTINCT EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA NOT IN ('mysql', 'sys') ORDER BY 1, 2") {
		r.schema.Triggered.add(row[0] + "." + row[1])
	}
}
