package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

func schemaRules() []rule {
	return []rule{
		{id: "tables", server: judgeTables},
		{id: "tables-uncached", server: onSchema(judgeUncached)},
		{id: "tables-not-transactional", server: onSchema(judgeUntransactional)},
		{id: "tables-no-primary-key", server: onSchema(judgeUnkeyed)},
		{id: "tables-cascade", server: onSchema(judgeCascade)},
		{id: "tables-trigger", server: onSchema(judgeTriggered)},
		{id: "collations", server: onSchema(judgeCollations)},
	}
}

// onSchema asks where definitions could be read.
func onSchema(judge func(s *Server, schema *Schema) verdict) func(*World, *Server) verdict {
	return func(_ *World, s *Server) verdict {
		if s.Schema == nil {
			return verdict{}
		}
		return judge(s, s.Schema)
	}
}

func judgeTables(_ *World, s *Server) verdict {
	switch {
	case s.SchemaErr != nil:
		return warn(s.SchemaErr.Error(), "The definitions of the tables could not be read, and nothing is said of them. Weir caches only what it has read the definitions of.",
			"Find out why; for many tables a larger table_open_cache and table_definition_cache help.")
	case s.Schema == nil:
		return verdict{}
	}
	return fine("%s", plural(s.Schema.Tables, "table"))
}

func judgeUncached(_ *Server, schema *Schema) verdict {
	if schema.Uncached.N == 0 {
		return fine("no table of an engine whose rows change without the binlog")
	}
	return note(schema.Uncached.of("table"), "Rows of these engines can change without a binlog event: reads of them are not cached (reason unknown_table).",
		"ALTER TABLE ... ENGINE = InnoDB; for those whose reads matter.")
}

func judgeUntransactional(s *Server, schema *Schema) verdict {
	if schema.Untransactional.N == 0 {
		return fine("no table of an engine without transactions")
	}
	means := "Their reads are cached, and hits inside transactions are not. A crash can leave rows that the binlog does not tell."
	if s.MariaDB {
		means += " In a session with binlog_format MIXED or STATEMENT, changes to them within a transaction are visible before they are in the binlog."
	}
	return note(schema.Untransactional.of("table"), means, "ALTER TABLE ... ENGINE = InnoDB;")
}

func judgeUnkeyed(_ *Server, schema *Schema) verdict {
	if schema.Unkeyed.N == 0 {
		return fine("each table has a primary key")
	}
	return note(schema.Unkeyed.of("table"), "Replicas scan such a table for each row that changes, so that they lag, and what they answer meanwhile is not kept. Weir itself does not need the key.",
		"ALTER TABLE ... ADD PRIMARY KEY (...);")
}

func judgeCascade(_ *Server, schema *Schema) verdict {
	if schema.Cascading.N == 0 {
		return fine("no foreign key changes rows")
	}
	return note(schema.Cascading.of("table"), "Foreign keys change their rows (CASCADE, SET NULL), mostly without a binlog event. Weir counts a change to the parent's rows as one to the whole child table.")
}

func judgeTriggered(_ *Server, schema *Schema) verdict {
	if !schema.Triggers {
		return verdict{}
	}
	if schema.Triggered.N == 0 {
		return fine("no triggers")
	}
	return note(schema.Triggered.of("table"), "What triggers change is in the binlog, row by row. Only a write that is logged as a statement, in a session with another binlog_format, makes everything cached unservable.")
}

func judgeCollations(_ *Server, schema *Schema) verdict {
	if len(schema.Coarse) == 0 {
		return fine("Weir knows what is equal in each text column")
	}
	var seen []string
	for _, name := range slices.Sorted(maps.Keys(schema.Coarse)) {
		seen = append(seen, fmt.Sprintf("%s (%s)", name, schema.Coarse[name].of("column")))
	}
	more := ""
	if len(seen) > shown {
		more = fmt.Sprintf(", and %d more collations", len(seen)-shown)
		seen = seen[:shown]
	}
	return note(strings.Join(seen, ", ")+more, "Weir does not know exactly which texts are equal there: a result that is chosen by such a column depends on the columns or the table rather than on single rows.")
}
