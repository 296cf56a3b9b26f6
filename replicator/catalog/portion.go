package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// condition writes what WHERE must say so that a list with these columns tells of some names and of no others.
type condition func(schemaColumn, tableColumn string) string

// portion is what one query asks for: the names for which one of the conditions holds.
type portion []condition

// maxPortion is how many tables a query for columns asks for, so that its rows fit in memory: with twenty columns each
// they are some ten megabytes. maxConditions bounds its text.
const (
	maxPortion    = 1000
	maxConditions = 20
)

// query asks for the portion. Each condition gets a SELECT of its own: MariaDB looks only into one schema, and there
// only at one table, if the condition is an equality of each, and of several such in one condition it makes nothing.
// A name for which two hold is told once.
func (p portion) query(sql, schemaColumn, tableColumn string) string {
	selects := make([]string, len(p))
	for i, where := range p {
		selects[i] = sql + " WHERE " + where(schemaColumn, tableColumn)
	}
	return strings.Join(selects, " UNION ALL ")
}

// everywhere is all names but those of system schemas, which no cached result may read, and those left out.
func everywhere(but []rawName) condition {
	return func(schemaColumn, tableColumn string) string {
		return schemaColumn + " NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')" + except(but)(schemaColumn, tableColumn)
	}
}

// except leaves names out. The server looks at names before it opens anything.
func except(names []rawName) condition {
	return func(schemaColumn, tableColumn string) string {
		var b strings.Builder
		for _, n := range names {
			fmt.Fprintf(&b, " AND NOT (%s)", exactly(n)(schemaColumn, tableColumn))
		}
		return b.String()
	}
}

// exactly is one name.
func exactly(n rawName) condition {
	return func(schemaColumn, tableColumn string) string {
		return fmt.Sprintf("%s = %s AND %s = %s", schemaColumn, literal(n.schema), tableColumn, literal(n.table))
	}
}

// between is those names of a schema that are not before one name and before another, of which both may be missing.
func between(schema, from, to string, but []rawName) condition {
	return func(schemaColumn, tableColumn string) string {
		text := schemaColumn + " = " + literal(schema)
		if from != "" {
			text += " AND " + tableColumn + " >= " + literal(from)
		}
		if to != "" {
			text += " AND " + tableColumn + " < " + literal(to)
		}
		return text + except(but)(schemaColumn, tableColumn)
	}
}

// among is some names of a schema. Compared as bytes, they are those and no others also where the server thinks that e
// is é; MySQL 8 does so by itself, or has only one of the two, and would not use its index for bytes.
func among(schema string, tables []string, bytes bool) condition {
	return func(schemaColumn, tableColumn string) string {
		if bytes {
			tableColumn = "BINARY " + tableColumn
		}
		literals := make([]string, len(tables))
		for i, t := range tables {
			literals[i] = literal(t)
		}
		return fmt.Sprintf("%s = %s AND %s IN (%s)", schemaColumn, literal(schema), tableColumn, strings.Join(literals, ", "))
	}
}

// each asks for some names. The only one of a schema is asked for by its name, and MariaDB looks at nothing else. For
// several of a schema it looks at all names that are there, and opens the right ones.
func each(names []rawName, bytes bool) []portion {
	var d divider
	schemas := bySchema(names)
	for _, schema := range slices.Sorted(maps.Keys(schemas)) {
		tables := schemas[schema]
		c := among(schema, tables, bytes)
		if len(tables) == 1 {
			c = exactly(rawName{schema, tables[0]})
		}
		d.put(c, len(tables), maxPortion)
	}
	return d.done
}

// divide asks for all names but some, with no more than about so many in one portion. In whatever order the server
// has the names of a schema, each is in one of the ranges into which some of them divide it.
func divide(names, but []rawName, most int) []portion {
	if len(names) <= most {
		return []portion{{everywhere(but)}}
	}
	var d divider
	schemas := bySchema(names)
	for _, schema := range slices.Sorted(maps.Keys(schemas)) {
		d.add(schema, schemas[schema], inSchema(but, schema), most)
	}
	return d.done
}

// divider fills portions.
type divider struct {
	done []portion
	room int // in the last portion
}

// add divides a schema. Its tables are in order.
func (d *divider) add(schema string, tables []string, but []rawName, most int) {
	for from := 0; from < len(tables); from += most {
		first, last, end := "", "", min(from+most, len(tables))
		if from > 0 {
			first = tables[from]
		}
		if end < len(tables) {
			last = tables[end]
		}
		d.put(between(schema, first, last, but), end-from, most)
	}
}

func (d *divider) put(c condition, size, most int) {
	if len(d.done) == 0 || d.room < size || len(d.done[len(d.done)-1]) == maxConditions {
		d.done, d.room = append(d.done, nil), most
	}
	last := &d.done[len(d.done)-1]
	*last, d.room = append(*last, c), d.room-size
}

// bySchema sorts the tables of each schema about as the servers do.
func bySchema(names []rawName) map[string][]string {
	all := map[string][]string{}
	for _, n := range names {
		all[n.schema] = append(all[n.schema], n.table)
	}
	for _, tables := range all {
		slices.SortFunc(tables, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	}
	return all
}

func inSchema(names []rawName, schema string) []rawName {
	return slices.DeleteFunc(slices.Clone(names), func(n rawName) bool { return n.schema != schema })
}
