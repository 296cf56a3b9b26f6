package proof

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// column is a column of a table of its own.
type column struct {
	table  string
	typ    dep.Type
	field  dep.Field
	images map[int]image
}

// TestPitfall19Values stores values in columns of many types, and asks the server which of them each literal finds: by
// itself and as a parameter, with an index and without. What it finds must be encoded as the literal is, and what is in
// a range must have a place in it. The values are read from the binlog.
func TestPitfall19Values(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server, s := startServer(t, flavor)
		columns := s.storeValues(server)
		for _, mode := range []string{"", "PAD_CHAR_TO_FULL_LENGTH"} {
			s.exec("SET sql_mode = '" + mode + "'")
			for _, c := range columns {
				if mode == "" || c.typ.Name == "char" {
					t.Run(c.table+" "+mode, func(t *testing.T) { session{t, s.conn}.compareLiterals(c) })
				}
			}
		}
		for _, a := range columns {
			for _, b := range columns {
				if a.typ.Joins(&b.typ) {
					s.compareJoin(a, b)
				}
			}
		}
	})
}

// storeValues makes a table for each column, and returns what the catalogue and the binlog say about it.
func (s session) storeValues(server *sandbox.Server) (all []column) {
	s.exec("CREATE DATABASE d")
	s.exec("USE d")
	s.exec("SET NAMES utf8mb4")
	s.exec("SET sql_mode = ''") // values that do not fit are made to fit
	for _, c := range columnsOf(server.Flavor) {
		key := "c"
		if strings.Contains(c.declared, "TEXT") || strings.Contains(c.declared, "BLOB") {
			key = "c(20)"
		}
		s.exec(fmt.Sprintf("CREATE TABLE %s (id INT PRIMARY KEY, c %s, KEY k (%s))", c.table, c.declared, key))
		for i, value := range c.values {
			s.exec(fmt.Sprintf("INSERT INTO %s VALUES (%d, %s)", c.table, i, value))
		}
		all = append(all, column{table: c.table, typ: s.describe(c.table, server.Flavor)})
	}
	s.exec("CREATE TABLE end (id INT PRIMARY KEY, c INT)")
	s.exec("INSERT INTO end VALUES (1, 1)")
	written := s.readBinlog(server)
	for i, c := range all {
		all[i].field, all[i].images = written.fields[c.table], written.images[c.table]
		if !c.typ.Agrees(written.fields[c.table]) {
			s.Errorf("%s: %+v does not agree with %+v", c.table, c.typ, written.fields[c.table])
		}
	}
	return all
}

func (s session) describe(table string, flavor sandbox.Flavor) dep.Type {
	row := s.query("SELECT DATA_TYPE, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLUMNS " +
		"WHERE TABLE_SCHEMA = 'd' AND TABLE_NAME = '" + table + "' AND COLUMN_NAME = 'c'")[0]
	d := dep.Described{DataType: row[0], ColumnType: row[1], Charset: row[2], Collation: row[3], MariaDB: flavor == sandbox.MariaDB}
	typ := dep.TypeOf(d)
	if typ.Class == dep.Opaque {
		s.Errorf("%s is opaque: %+v", table, d)
	}
	return typ
}

// code encodes the value of a row.
func (c column) code(id int) ([]byte, bool) {
	i, ok := c.images[id]
	if !ok || i.null {
		return nil, false
	}
	return c.typ.AppendImage(nil, i.raw, c.field)
}

func (s session) compareLiterals(c column) {
	known, found := 0, 0
	for _, l := range literals() {
		code, ok := c.typ.AppendLiteral(nil, l.literal)
		place, inOrder := c.typ.LiteralPosition(l.literal)
		if !ok && !inOrder {
			continue
		}
		known++
		for _, f := range s.finds(c, l, inOrder) {
			if f.operator == "=" {
				found++
				s.compareCode(c, l, f.id, code, ok)
			} else {
				s.comparePlace(c, l, f, place)
			}
		}
	}
	if known < 5 || found < 5 {
		s.Errorf("%d literals are known, %d rows were found: too few to show anything", known, found)
	}
}

func (s session) compareCode(c column, l literal, id int, code []byte, known bool) {
	if got, ok := c.code(id); ok && known && !bytes.Equal(got, code) {
		s.Errorf("c = %s finds row %d (%x), encoded as %x and not as %x", l.sql, id, c.images[id].raw, got, code)
	}
}

func (s session) comparePlace(c column, l literal, f finding, place uint64) {
	at, ok := c.typ.ImagePosition(c.images[f.id].raw, c.field)
	if !ok || f.operator[0] == '<' && at > place || f.operator[0] == '>' && at < place {
		s.Errorf("c %s %s finds row %d, which is at %d, %v, and not on that side of %d", f.operator, l.sql, f.id, at, ok, place)
	}
}

// finding is a row that a comparison finds.
type finding struct {
	operator string
	id       int
}

// finds gives the rows that any way of asking finds.
func (s session) finds(c column, l literal, inOrder bool) (all []finding) {
	operators := []string{"="}
	if inOrder {
		operators = []string{"=", "<", "<=", ">", ">="}
	}
	rows := s.query(c.question(operators, l.sql))
	if l.parameter != nil {
		rows = append(rows, s.query(c.question(operators[:1], "?"), l.parameter, l.parameter)...)
	}
	for _, row := range rows {
		id, _ := strconv.Atoi(row[1])
		all = append(all, finding{row[0], id})
	}
	return all
}

// question asks for rows with each operator, with the index and without.
func (c column) question(operators []string, value string) string {
	var parts []string
	for _, operator := range operators {
		for _, index := range []string{"IGNORE", "FORCE"} {
			parts = append(parts, fmt.Sprintf("SELECT '%s', id FROM %s %s INDEX (k) WHERE c %[1]s %[4]s", operator, c.table, index, value))
		}
	}
	return strings.Join(parts, " UNION ALL ")
}

// compareJoin: values of two columns that are equal have one encoding.
func (s session) compareJoin(a, b column) {
	wrong := 0
	from := fmt.Sprintf("SELECT a.id, b.id FROM %s a STRAIGHT_JOIN %s b ", a.table, b.table)
	for _, row := range s.query(from + "FORCE INDEX (k) ON a.c = b.c UNION ALL " + from + "IGNORE INDEX (k) ON a.c = b.c") {
		i, _ := strconv.Atoi(row[0])
		j, _ := strconv.Atoi(row[1])
		left, ok1 := a.code(i)
		right, ok2 := b.code(j)
		if ok1 && ok2 && !bytes.Equal(left, right) {
			if wrong++; wrong > 2 {
				return
			}
			s.Errorf("row %d of %s is equal to row %d of %s, but encoded as %x and %x", i, a.table, j, b.table, left, right)
		}
	}
}
