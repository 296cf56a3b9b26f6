package dep

import (
	"strings"

	"github.com/zeebo/xxh3"

	"weir/cache"
)

// Name is the folded name of a table, view or sequence. Make one with [Fold].
type Name struct {
	Schema, Table string
}

// Fold returns the Name under which a table is known to the ledger, whatever its spelling.
func Fold(schema, table string) Name {
	return Name{Schema: strings.ToLower(schema), Table: strings.ToLower(table)}
}

// String gives schema.table.
func (n Name) String() string { return n.Schema + "." + n.Table }

// Tag is touched by every change to the table: rows, shape, or what a view means.
func (n Name) Tag() cache.Tag { return tag('t', n.Schema, n.Table) }

// Definition is touched when what the name stands for may have changed: its columns, or what a view means. Rows do not
// touch it. It is for what is said about a statement before it runs, such as the names and types of its columns.
func (n Name) Definition() cache.Tag { return tag('d', n.Schema, n.Table) }

// Anchor is touched by every change to the table that is not told by its rows: a new shape, a statement in text, rows
// that could not be read, what a foreign key did. Every result that reads the table depends on it.
func (n Name) Anchor() cache.Tag { return tag('a', n.Schema, n.Table) }

// Layout is touched when the table may be stored, or its rows found, in another way, while each row stays as it is: an index
// came or went, a partition was added, the table was rebuilt. What also changes rows touches [Name.Anchor] instead, so
// that what depends on the layout depends on both. It is for results that name an index or a partition, or need one.
func (n Name) Layout() cache.Tag { return tag('l', n.Schema, n.Table) }

// Rowset is touched when rows of the table are inserted or deleted.
func (n Name) Rowset() cache.Tag { return tag('n', n.Schema, n.Table) }

// Column is touched when an update changes the column, whose name is in lower case, in some row of the table.
func (n Name) Column(column string) cache.Tag { return tag('c', n.Schema, n.Table, column) }

// Everything is the tag on which every entry depends.
func Everything() cache.Tag { return tag('*') }

// Accounts stands for all accounts and what they may do. It is touched, together with [Everything], by every statement
// about accounts: a server may not have looked at them again on connections that were there before.
func Accounts() Name { return Name{Schema: "mysql", Table: "user"} }

// Schema is touched by what concerns a schema as a whole, such as DROP DATABASE.
func Schema(schema string) cache.Tag { return tag('s', strings.ToLower(schema)) }

// tag hashes a kind and its parts. A NUL separates them: no identifier of MySQL or MariaDB can contain one.
func tag(kind byte, parts ...string) cache.Tag {
	b := make([]byte, 0, 128)
	b = append(b, kind)
	for _, p := range parts {
		b = append(append(b, 0), p...)
	}
	return cache.Tag(xxh3.Hash(b))
}

// Kind says what a name in a statement stands for.
type Kind uint8

// Kinds of relations, as information_schema.TABLES of the source tells them.
const (
	// Unknown: the catalogue does not have the name, or it is just being changed. Not cacheable.
	Unknown Kind = iota
	// BaseTable is an ordinary table.
	BaseTable
	// View is defined by a SELECT, see [Relation.Definition].
	View
	// Sequence is a MariaDB sequence; reading it may change it.
	Sequence
	// SystemVersioned is a MariaDB table with system versioning.
	SystemVersioned
)

// Relation is what the catalogue knows of a name.
type Relation struct {
	Kind Kind
	// Definition is the SELECT of a view as the server prints it, with every name qualified.
	Definition string
	// Shape is what the table's columns and keys are; nil if that is not known, or of no use, as for a view.
	Shape *Shape
	// Triggers says that the table has triggers.
	Triggers bool
	// Versioned says that a transaction reads the table's rows as they were when its snapshot was fixed, which is so for
	// InnoDB.
	Versioned bool
}

// Tags returns the tags of a result that reads the given names, without duplicates: everything, and for each name
// its schema and itself.
func Tags(names []Name) []cache.Tag { return tags(names, Name.Tag) }

// Definitions returns the tags of what only the definitions of the given names decide, without duplicates.
func Definitions(names []Name) []cache.Tag { return tags(names, Name.Definition) }

func tags(names []Name, of func(Name) cache.Tag) []cache.Tag {
	tags := make([]cache.Tag, 0, 1+2*len(names))
	tags = append(tags, Everything())
	seen := map[cache.Tag]bool{}
	for _, n := range names {
		for _, t := range [...]cache.Tag{Schema(n.Schema), of(n)} {
			if !seen[t] {
				seen[t] = true
				tags = append(tags, t)
			}
		}
	}
	return tags
}
