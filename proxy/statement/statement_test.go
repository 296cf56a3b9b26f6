package statement

import (
	"io"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"

	"weir/cache/dep"
)

// schema is a catalog for tests: names to relations. A definition that starts with "select" makes a view; other
// definitions are names of kinds.
type schema map[string]string

// world is the catalog of most tests.
var world = schema{
	"db.t": "", "db.u": "", "db.w": "", "db.x": "", "db.y": "", "db.z": "", "db.dual": "", "db.select": "", "db.1st": "",
	"db.naïve": "", "db.update": "", "db.orders": "", "db.items": "", "db.users": "", "db.shifts": "", "db.rand": "", "other.t": "", "other.u": "",
	"db.audited": "triggers", "db.s": "sequence", "db.hist": "versioned",
	"mysql.user": "", "information_schema.tables": "", "performance_schema.threads": "", "sys.version": "",

	"db.v":       "select `db`.`t`.`id` AS `id` from `db`.`t`",
	"db.vv":      "select `v`.`id` AS `id` from (`db`.`v` join `db`.`u`)",
	"other.v":    "select `u`.`id` AS `id` from `u`", // the default database is the view's own
	"db.vcte":    "with `t` as (select `db`.`w`.`a` AS `a` from `db`.`w`)select `t`.`a` AS `a` from `t`",
	"db.vnow":    "select `db`.`t`.`id` AS `id`,current_timestamp() AS `now()` from `db`.`t`",
	"db.vvnow":   "select `vnow`.`id` AS `id` from `db`.`vnow`",
	"db.vuser":   "select `db`.`t`.`id` AS `id` from `db`.`t` where `db`.`t`.`owner` = user()",
	"db.vfun":    "select `db`.`f`(`db`.`t`.`id`) AS `f` from `db`.`t`",
	"db.vsys":    "select `information_schema`.`tables`.`TABLE_NAME` AS `n` from `information_schema`.`tables`",
	"db.vgone":   "select `db`.`gone`.`id` AS `id` from `db`.`gone`",
	"db.vodd":    "select this is not sql",
	"db.vloop":   "select `vloop`.`id` AS `id` from `db`.`vloop`",
	"db.vquote":  `select 'it''s' AS ` + "`a`, \"b\" AS `b`" + ` from db.t`,
	"db.vcode":   "select 1 /*!99999 from `db`.`u` */ from `db`.`t`",
	"db.vshift":  "select `db`.`shifts`.`begins` AS `start`,`db`.`shifts`.`day` AS `day` from `db`.`shifts`",
	"db.vunited": "select `db`.`t`.`id` AS `id` from `db`.`t` union select `db`.`u`.`id` AS `id` from `db`.`u`",
}

func (s schema) Relation(n dep.Name) dep.Relation {
	def, ok := s[n.String()]
	switch {
	case !ok:
		return dep.Relation{}
	case strings.HasPrefix(def, "select"), strings.HasPrefix(def, "with"):
		return dep.Relation{Kind: dep.View, Definition: def}
	case def == "sequence":
		return dep.Relation{Kind: dep.Sequence}
	case def == "versioned":
		return dep.Relation{Kind: dep.SystemVersioned}
	}
	return dep.Relation{Kind: dep.BaseTable, Versioned: def != "locked", Triggers: def == "triggers"}
}

func (s schema) TimeColumns(n dep.Name) []string {
	if n.String() == "db.shifts" {
		return []string{"begins", "ends"}
	}
	return nil
}

// onWorld is the environment of most tests.
func onWorld() Env { return Env{Schema: "db", Catalog: world} }

// example is a text and what describe says of it.
type example struct{ sql, want string }

// describe says in one line what matters of a statement: "cache" and its tables; or the kind, the reason and the
// detail. A + says that it is stateful.
func describe(st Statement) string {
	if st.Cacheable {
		return strings.TrimSpace("cache " + tables(st))
	}
	words := []string{st.Kind.String()}
	if st.Kind == Read {
		words = append(words, string(st.Reason), st.Detail)
	}
	words = append(words, st.Name)
	if st.Stateful {
		words = append(words, "+")
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

func tables(st Statement) string {
	var names []string
	for _, n := range st.Tables {
		names = append(names, n.String())
	}
	return strings.Join(names, " ")
}

// check runs examples, with each of the drivers that the parser may find loaded.
func check(t *testing.T, env Env, examples []example) {
	t.Helper()
	a := NewAnalyzer()
	for _, ex := range examples {
		if got := describe(a.Analyze(ex.sql, env)); got != ex.want {
			t.Errorf("%s\n got  %s\n want %s", ex.sql, got, ex.want)
		}
	}
	withBlindDriver(t, func() {
		for _, ex := range examples {
			if got := describe(a.Analyze(ex.sql, env)); got != ex.want {
				t.Errorf("blind driver: %s\n got  %s\n want %s", ex.sql, got, ex.want)
			}
		}
	})
}

// blindValue is like the values that go-mysql's canal gives to the parser: without content, and ending every
// traversal that meets them.
type blindValue struct{ ast.TexprNode }

func (*blindValue) SetValue(any)                        {}
func (*blindValue) GetValue() any                       { return nil }
func (*blindValue) GetDatumString() string              { return "" }
func (*blindValue) GetString() string                   { return "" }
func (*blindValue) GetProjectionOffset() int            { return 0 }
func (*blindValue) SetProjectionOffset(int)             {}
func (*blindValue) Accept(ast.Visitor) (ast.Node, bool) { return nil, false }
func (*blindValue) Restore(*format.RestoreCtx) error    { return nil }
func (*blindValue) Text() string                        { return "" }
func (*blindValue) Format(io.Writer)                    {}

type blindMarker struct{ blindValue }

func (*blindMarker) SetOrder(int) {}

// withBlindDriver runs f as in a program that imports canal.
func withBlindDriver(t *testing.T, f func()) {
	t.Helper()
	value, marker, decimal, hex, bit := ast.NewValueExpr, ast.NewParamMarkerExpr, ast.NewDecimal, ast.NewHexLiteral, ast.NewBitLiteral
	defer func() {
		ast.NewValueExpr, ast.NewParamMarkerExpr, ast.NewDecimal, ast.NewHexLiteral, ast.NewBitLiteral = value, marker, decimal, hex, bit
	}()
	nothing := func(string) (any, error) { return nil, nil }
	ast.NewValueExpr = func(any, string, string) ast.ValueExpr { return &blindValue{} }
	ast.NewParamMarkerExpr = func(int) ast.ParamMarkerExpr { return &blindMarker{} }
	ast.NewDecimal, ast.NewHexLiteral, ast.NewBitLiteral = nothing, nothing, nothing
	f()
}
