package ddlload

import "context"

// change is a schema change to measure, and how to take it back.
type change struct {
	name, effect string
	do           string
	undo         func(ctx context.Context, r *root, o options) error
}

// Goals, as shares of the level before: how low the worst second may be, by effect.
var worstAllowed = map[string]float64{"none": 0.95, "shape": 0.70}

// changes are measured in this order. What is rebuilt is rebuilt when it is taken back, too, so that each mode finds the
// table as the one before did.
func changes() []change {
	return []change{
		{"CREATE INDEX", "none", "CREATE INDEX by_k ON big (k)", statements("DROP INDEX by_k ON big")},
		{"OPTIMIZE TABLE", "none", "OPTIMIZE TABLE big", statements()},
		{"ADD COLUMN (COPY)", "shape", "ALTER TABLE big ADD COLUMN extra INT NOT NULL DEFAULT 7, ALGORITHM=COPY", statements("ALTER TABLE big DROP COLUMN extra, ALGORITHM=INPLACE")},
		// Nobody reads it: what is measured is what its end does to the others.
		{"TRUNCATE of another", "none", "TRUNCATE TABLE spare", func(ctx context.Context, r *root, o options) error {
			return r.fill(ctx, "spare", o.spare)
		}},
	}
}

func statements(all ...string) func(context.Context, *root, options) error {
	return func(ctx context.Context, r *root, _ options) error { return r.run(ctx, all...) }
}
