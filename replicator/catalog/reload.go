package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"weir/cache/dep"
)

// maxNames is how many names are read by themselves. With more, all are.
const maxNames = 200

// reload reads some names, and the foreign keys of all, and puts them in the place of what old knows of them. Where
// the account's privileges are others than old was read with, what is known of any name may be wrong, and all are read;
// whole says so.
func reload(ctx context.Context, q Querier, log *slog.Logger, old *Snapshot, names []dep.Name) (next *Snapshot, whole bool, err error) {
	l := newLoader(q)
	l.old, l.wanted = old, make(map[dep.Name]bool, len(names))
	for _, n := range names {
		l.wanted[n] = true
	}
	if err := l.run(ctx, log); err != nil {
		return nil, false, err
	}
	if l.wanted == nil {
		return l.assemble(), true, nil
	}
	return old.reloaded(l.assembleNames(), names, l.foreignKeys), false, nil
}

// findNames finds out how the wanted names are spelled, and which of them exist. A list of nothing but names opens
// nothing, on MariaDB too. The server compares letters of ASCII as they are folded here; whatever has another letter is
// told, and folded here: the Kelvin sign is a small k.
func (l *loader) findNames(ctx context.Context) (int, error) {
	if l.wanted == nil {
		return 0, nil
	}
	l.scope = []rawName{}
	if len(l.wanted) == 0 {
		return 0, nil
	}
	rows, err := l.gather(ctx, 2, []portion{{named(l.wanted)}}, "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES", "TABLE_SCHEMA", "TABLE_NAME")
	for _, r := range rows {
		if n := (rawName{r[0], r[1]}); l.wanted[n.fold()] {
			l.scope = append(l.scope, n)
		}
	}
	return len(rows), err
}

// named is all names that may be folded to these, and perhaps others.
func named(names map[dep.Name]bool) condition {
	return func(schemaColumn, tableColumn string) string {
		var literals []string
		for n := range names {
			literals = append(literals, literal(n.Table))
		}
		slices.Sort(literals)
		return fmt.Sprintf("%s AND (LOWER(%s) IN (%s) OR LENGTH(%s) <> CHAR_LENGTH(%s))", everywhere(nil)(schemaColumn, tableColumn),
			tableColumn, strings.Join(slices.Compact(literals), ", "), tableColumn, tableColumn)
	}
}

// reloaded is s with these names as part has them, and other foreign keys. A name that part does not have is gone.
func (s *Snapshot) reloaded(part *Snapshot, names []dep.Name, keys []foreignKey) *Snapshot {
	next := &Snapshot{
		relations: replaced(s.relations, part.relations, names),
		notes:     replaced(s.notes, part.notes, names),
		times:     replaced(s.times, part.times, names),
		myISAM:    replaced(s.myISAM, part.myISAM, names),
		merging:   replaced(s.merging, part.merging, names),
		locked:    replaced(s.locked, part.locked, names),

		untriggered: replaced(s.untriggered, part.untriggered, names),
		rights:      part.rights,
	}
	next.connect(keys)
	return next
}

func replaced[V any](old, part map[dep.Name]V, names []dep.Name) map[dep.Name]V {
	next := make(map[dep.Name]V, len(old)+len(part))
	maps.Copy(next, old)
	for _, n := range names {
		delete(next, n)
		if v, has := part[n]; has {
			next[n] = v
		}
	}
	return next
}
