package statement

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"weir/cache/dep"
)

// shown returns a template with its marks made visible.
func shown(text string) string {
	for _, f := range []form{wholeForm, decimalForm, textForm, hexForm, quotedHex} {
		text = strings.ReplaceAll(text, "\x00"+string(f), "<"+string(f)+">")
	}
	return text
}

func TestTemplates(t *testing.T) {
	tests := []struct{ sql, want string }{
		{"SELECT * FROM t WHERE id = 5", "SELECT * FROM t WHERE id = <i>"},
		{"SELECT * FROM t WHERE id = -5 AND b = 'it''s'", "SELECT * FROM t WHERE id = -<i> AND b = <s>"},
		{"SELECT * FROM t WHERE a IN (1, 2.5, 'x', 0x1f, x'1f', NULL, ?)", "SELECT * FROM t WHERE a IN (<i>, <d>, <s>, <h>, <x>, NULL, ?)"},
		{"SELECT a, 5, 'x' FROM t LIMIT 5, 10", "SELECT a, <i>, <s> FROM t LIMIT <i>, <i>"},
		{"SELECT a FROM t WHERE b LIKE 'x%' OR c BETWEEN 1 AND 2 LIMIT 5 OFFSET 10", "SELECT a FROM t WHERE b LIKE <s> OR c BETWEEN <i> AND <i> LIMIT <i> OFFSET <i>"},
		{"SELECT a FROM t WHERE MATCH (b) AGAINST ('x') AND c = LOWER('X')", "SELECT a FROM t WHERE MATCH (b) AGAINST (<s>) AND c = LOWER(<s>)"},
		{"SELECT a FROM t WHERE CASE WHEN b = 1 THEN 2 ELSE 3 END", "SELECT a FROM t WHERE CASE WHEN b = <i> THEN <i> ELSE <i> END"},
		{"SELECT a FROM t WHERE b = /* 1 */ 2 -- 3", "SELECT a FROM t WHERE b = /* 1 */ <i> -- 3"},

		// Positions, and what is called by its text.
		{"SELECT a FROM t WHERE b = 1 GROUP BY 1, 2 HAVING a > 3 ORDER BY 1, (2), b = 3", "SELECT a FROM t WHERE b = <i> GROUP BY 1, 2 HAVING a > <i> ORDER BY 1, (2), b = <i>"},
		{"SELECT a FROM t ORDER BY FIELD(a, 3, 1, 2)", "SELECT a FROM t ORDER BY FIELD(a, <i>, <i>, <i>)"},
		{"SELECT d.a FROM (SELECT a, 5, b + 1, MOD(c, 2) FROM t WHERE c = 5) d", "SELECT d.a FROM (SELECT a, 5, b + 1, MOD(c, 2) FROM t WHERE c = <i>) d"},
		{"SELECT a FROM t WHERE b = 5 UNION SELECT 6, 'x'", "SELECT a FROM t WHERE b = <i> UNION SELECT <i>, <s>"},
		{"SELECT NAME_CONST('x', 1), a = 1 FROM t", "SELECT NAME_CONST('x', 1), a = <i> FROM t"},

		// Lengths, units, aliases, parts of other literals.
		{"SELECT CAST(5 AS DECIMAL(10, 2)), a 'x', b AS 'y', NOW(6) FROM t WHERE c = 1", "SELECT CAST(<i> AS DECIMAL(10, 2)), a 'x', b AS 'y', NOW(<i>) FROM t WHERE c = <i>"},
		{"SELECT a FROM t WHERE b > '2024-01-01' - INTERVAL 7 DAY", "SELECT a FROM t WHERE b > <s> - INTERVAL 7 DAY"},
		{"SELECT a FROM t WHERE b = DATE '2024-01-01' AND c = _latin1'x' AND d = 'x' 'y' AND e = 1e5 AND f = 007 AND g = 1", "SELECT a FROM t WHERE b = DATE '2024-01-01' AND c = _latin1'x' AND d = 'x' 'y' AND e = 1e5 AND f = 007 AND g = <i>"},
		{"SELECT a FROM t WHERE b->'$.c' = 1 AND d LIKE 'x' ESCAPE '!' AND e = 'é' COLLATE utf8mb4_bin", "SELECT a FROM t WHERE b->'$.c' = <i> AND d LIKE <s> ESCAPE '!' AND e = <s> COLLATE utf8mb4_bin"},
		{"SELECT STR_TO_DATE(a, '%Y') FROM t WHERE b = 'x' AND c = 5", "SELECT STR_TO_DATE(a, '%Y') FROM t WHERE b = 'x' AND c = <i>"},
		{"SELECT GROUP_CONCAT(a SEPARATOR ';') FROM t WHERE b = 1", "SELECT GROUP_CONCAT(a SEPARATOR ';') FROM t WHERE b = <i>"},
		{"SELECT t.limit, t.and 'x' FROM t WHERE a = 1", "SELECT t.limit, t.and 'x' FROM t WHERE a = <i>"},

		// None.
		{"SELECT * FROM t", ""},
		{"SELECT * FROM t WHERE a = ?", ""},
		{"SELECT * FROM t WHERE a = 1e5", ""},
		{"SELECT * FROM t WHERE a = '\x00'", ""},
		{"SELECT * FROM t WHERE a = '\xff'", ""},
		{"SELECT * FROM t /*!80000 WHERE a = 5 */", ""},
		{"SELECT * FROM t /*M! WHERE a = 5 */", ""},
		{"SELECT * FROM t /*T! WHERE a = 5 */ WHERE a = 6", ""},
		{"SELECT * FROM t WHERE a = 'open", ""},
		{"SELECT * FROM t WHERE a = 5 AND \x01", ""},
		{"UPDATE t SET a = 5", ""},
		{"EXPLAIN SELECT * FROM t WHERE a = 5", ""},
	}
	env := onWorld()
	for _, tt := range tests {
		tmpl, ok := templateOf(tt.sql, &env)
		if got := shown(tmpl.text); ok && got != tt.want || !ok && tt.want != "" {
			t.Errorf("%q\n got  %q, %v\n want %q", tt.sql, got, ok, tt.want)
		}
	}
}

// TestTemplateOfOtherCharacters: where a character may hide a quote, only ASCII is certain.
func TestTemplateOfOtherCharacters(t *testing.T) {
	for charset, want := range map[string]bool{"": true, "utf8mb3": true, "latin1": false, "gbk": false} {
		env := onWorld()
		env.Charset = charset
		if _, ok := templateOf("SELECT * FROM t WHERE a = 'é'", &env); ok != want {
			t.Errorf("%s: a text beyond ASCII has a template = %v, want %v", charset, ok, want)
		}
		if _, ok := templateOf("SELECT * FROM t WHERE a = 'e'", &env); !ok {
			t.Errorf("%s: a text in ASCII has no template", charset)
		}
	}
}

// others are texts in quotes that try to be more than that.
var others = []string{"", "x", "NOW()", "%Y-%m-%d", "it''s", `say "hi"`, "a;b", "--", "/* */", "#", "?", "(SELECT a FROM u)", "é", "$.b", "5", "0000-00-00"}

// vary returns the text with other literals in the free places.
func vary(in input, random *rand.Rand) string {
	var b strings.Builder
	last := 0
	for _, c := range in.constants() {
		if c.free {
			b.WriteString(in.sql[last:c.start])
			b.WriteString(other(c.form, in.mode, random))
			last = c.end
		}
	}
	return b.String() + in.sql[last:]
}

func other(f form, mode lexMode, random *rand.Rand) string {
	switch f {
	case decimalForm:
		return fmt.Sprintf("%d.%d", random.IntN(1000), random.IntN(1000))
	case textForm:
		text := others[random.IntN(len(others))]
		if !mode.noBackslash && random.IntN(4) == 0 {
			text += `\'\\`
		}
		return "'" + text + "'"
	case hexForm:
		return fmt.Sprintf("0x%x", random.Uint32())
	case quotedHex:
		return fmt.Sprintf("X'%02X'", random.IntN(256))
	}
	return fmt.Sprint(random.Uint64() >> random.IntN(64))
}

// checkTemplate analyses a text after others with the same template, and compares with what is found without: the same,
// whichever came first. It returns how often a template was shared.
func checkTemplate(t *testing.T, a *Analyzer, sql string, env Env, random *rand.Rand) uint64 {
	t.Helper()
	tmpl, ok := templateOf(sql, &env)
	if !ok {
		return 0
	}
	c := &Cache{analyzer: a, texts: newLevel(Limits{}.withDefaults()), templates: newLevel(Limits{}.withDefaults())}
	alone := a.Analyze(sql, env)
	if c.Analyze(sql, env); alone.Kind != Read {
		return 0 // it is not kept
	}
	shape := outline(a, sql, env)
	for range 2 {
		varied := vary(newInput(sql, &env), random)
		if v, ok := templateOf(varied, &env); !ok && isASCII(varied) || ok && v.text != tmpl.text {
			t.Errorf("%q and %q have the templates %q and %q", sql, varied, tmpl.text, v.text)
		}
		got, want := c.Analyze(varied, env), a.Analyze(varied, env)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q after %q: %+v, alone %+v", varied, sql, got, want)
		}
		if got := outline(a, varied, env); got != shape {
			t.Errorf("%q and %q have one template, but are parsed as %s and %s", varied, sql, got, shape)
		}
		got.Slots, alone.Slots = nil, nil
		if !reflect.DeepEqual(got, alone) {
			t.Errorf("%q and %q have one template, but are found %+v and %+v", varied, sql, got, alone)
		}
	}
	return c.Stats().TemplateHits
}

// outliner notes the nodes of a tree, and which slots they are.
type outliner struct {
	walker
	strings.Builder
}

func (o *outliner) Enter(n ast.Node) (ast.Node, bool) {
	fmt.Fprintf(o, "(%T", n)
	switch n := n.(type) {
	case *ast.ColumnName:
		o.WriteString(" " + n.OrigColName())
	case *ast.BinaryOperationExpr:
		o.WriteString(" " + n.Op.String())
	case *ast.FuncCallExpr:
		o.WriteString(" " + n.FnName.O)
	case ast.ExprNode:
		if i, ok := o.slot(n); ok {
			fmt.Fprintf(o, " slot %d", i)
		}
	}
	return n, false
}

func (o *outliner) Leave(n ast.Node) (ast.Node, bool) {
	o.WriteByte(')')
	return n, true
}

// outline returns the shape of the parser's tree, without the values of literals.
func outline(a *Analyzer, sql string, env Env) string {
	in := newInput(sql, &env)
	n, err := treeOf(in)
	if err != nil {
		return "no tree"
	}
	o := outliner{walker: walker{constants: in.constants()}}
	n.Accept(&o)
	return o.String()
}

// shaped is a catalog that knows the columns of tables, so that there are plans, too.
type shaped struct {
	schema
	shape *dep.Shape
}

func (s shaped) Relation(n dep.Name) dep.Relation {
	r := s.schema.Relation(n)
	if r.Kind == dep.BaseTable {
		r.Shape = s.shape
	}
	return r
}

// lettersAndID are the columns of every table: id, which is the primary key, and others of one letter.
func lettersAndID() *dep.Shape {
	columns := []dep.Column{{Name: "id", Type: dep.TypeOf(dep.Described{DataType: "int", ColumnType: "int"})}}
	for _, name := range strings.Split("abcdefg", "") {
		columns = append(columns, dep.Column{Name: name, Type: columns[0].Type})
	}
	return dep.NewShape(columns, []dep.Key{{Columns: []int{0}, Primary: true, Unique: true}})
}

// templateEnvs are the settings that change how literals are read.
func templateEnvs() []Env {
	var envs []Env
	for _, mode := range []string{"", "ANSI", "NO_BACKSLASH_ESCAPES", "HIGH_NOT_PRECEDENCE,PIPES_AS_CONCAT"} {
		env := onWorld()
		env.SQLMode, env.UTF8, env.Catalog = mode, mode == "", shaped{world, lettersAndID()}
		envs = append(envs, env)
	}
	return envs
}

// TestTemplatesChangeNothing: what is found out by way of a template is what is found out about the text, for all texts of
// the tables, with each of the drivers that the parser may find loaded.
func TestTemplatesChangeNothing(t *testing.T) {
	a, random, shared := NewAnalyzer(), rand.New(rand.NewPCG(1, 0)), uint64(0)
	check := func(env Env) {
		for _, ex := range allExamples() {
			shared += checkTemplate(t, a, ex.sql, env, random)
		}
	}
	for _, env := range templateEnvs() {
		check(env)
	}
	withBlindDriver(t, func() { check(templateEnvs()[0]) })
	if shared < 500 {
		t.Errorf("only %d analyses were by way of a template", shared)
	}
}

// FuzzTemplate checks on any text that a template changes nothing, and that its slots hold what the parser has read.
func FuzzTemplate(f *testing.F) {
	for _, ex := range allExamples() {
		if len(ex.sql) < 1000 {
			f.Add(ex.sql, uint8(0), uint64(1))
		}
	}
	a, envs := NewAnalyzer(), templateEnvs()
	f.Fuzz(func(t *testing.T, sql string, mode uint8, seed uint64) {
		env := envs[int(mode)%len(envs)]
		checkTemplate(t, a, sql, env, rand.New(rand.NewPCG(seed, 0)))
		withBlindDriver(t, func() { checkTemplate(t, a, sql, env, rand.New(rand.NewPCG(seed, 0))) })
		checkSlots(t, a, sql, env)
	})
}
