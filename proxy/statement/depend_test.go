package statement

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weir/cache/dep"
)

// shapes is a catalog with columns, read from testdata/depend/schema.txt.
type shapes map[dep.Name]dep.Relation

func (s shapes) Relation(n dep.Name) dep.Relation { return s[n] }
func (s shapes) TimeColumns(n dep.Name) []string  { return nil }

// readShapes reads the schema.
func readShapes(t testing.TB) shapes {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "depend", "schema.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := shapes{}
	for _, one := range splitRelations(string(text)) {
		name, rel := readRelation(t, one)
		all[name] = rel
	}
	return all
}

// splitRelations cuts a text where a line is not indented, and leaves comments out.
func splitRelations(text string) [][]string {
	var all [][]string
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			all = append(all, []string{line})
		default:
			last := len(all) - 1
			all[last] = append(all[last], strings.TrimSpace(line))
		}
	}
	return all
}

func readRelation(t testing.TB, lines []string) (dep.Name, dep.Relation) {
	t.Helper()
	head := strings.Fields(lines[0])
	schema, table, _ := strings.Cut(head[1], ".")
	name := dep.Fold(schema, table)
	switch {
	case head[0] == "view":
		return name, dep.Relation{Kind: dep.View, Definition: lines[1]}
	case len(head) > 2 && head[2] == "unknown":
		return name, dep.Relation{Kind: dep.BaseTable}
	}
	rel := dep.Relation{Kind: dep.BaseTable, Shape: readShape(t, lines[1:]), Versioned: true}
	if len(head) > 2 && head[2] == "versioned" {
		rel.Kind = dep.SystemVersioned
	}
	return name, rel
}

func readShape(t testing.TB, lines []string) *dep.Shape {
	t.Helper()
	var columns []dep.Column
	var keys []dep.Key
	for _, line := range lines {
		words := strings.Fields(line)
		switch words[0] {
		case "primary", "unique", "key":
			k := dep.Key{Primary: words[0] == "primary", Unique: words[0] != "key"}
			for _, name := range words[1:] {
				i, ok := dep.NewShape(columns, nil).Find(name)
				if !ok {
					t.Fatalf("schema.txt: key over %s, which there is not", name)
				}
				k.Columns = append(k.Columns, i)
			}
			keys = append(keys, k)
		default:
			columns = append(columns, readColumn(words))
		}
	}
	return dep.NewShape(columns, keys)
}

// readColumn reads a name, a type, and perhaps a collation, whose character set is the first part of its name.
func readColumn(words []string) dep.Column {
	typ, collation, _ := strings.Cut(strings.Join(words[1:], " "), " collate ")
	typ, virtual := strings.CutSuffix(typ, " virtual")
	d := dep.Described{ColumnType: typ, Collation: collation}
	d.DataType = strings.FieldsFunc(typ, func(r rune) bool { return r == '(' || r == ' ' })[0]
	d.Charset, _, _ = strings.Cut(collation, "_")
	if d.DataType == "enum" {
		d.Charset, d.Collation = "utf8mb4", "utf8mb4_general_ci"
	}
	return dep.Column{Name: words[0], Type: dep.TypeOf(d), Virtual: virtual}
}

// A dependsCase is a statement, the values of its parameters, and what is said of it.
type dependsCase struct {
	file     string
	line     int
	sql      string
	values   string
	sayings  []string
	settings string
}

// readCases reads a file: statements, each followed by indented lines. A line "with" has the values of parameters, "mode" the
// sql_mode; the others say, table by table, what counts.
func readCases(t testing.TB, file string) []dependsCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []dependsCase
	for i, line := range strings.Split(string(text), "\n") {
		rest, indented := strings.CutPrefix(line, "    ")
		switch {
		case line == "" || line[0] == '#':
			continue
		case !indented:
			all = append(all, dependsCase{file: filepath.Base(file), line: i + 1, sql: line})
			continue
		}
		last := &all[len(all)-1]
		if values, ok := strings.CutPrefix(rest, "with "); ok {
			last.values = values
		} else if mode, ok := strings.CutPrefix(rest, "mode "); ok {
			last.settings = mode
		} else {
			last.sayings = append(last.sayings, rest)
		}
	}
	return all
}

// allCases reads the files in testdata/depend.
func allCases(t testing.TB) []dependsCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "depend", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []dependsCase
	for _, file := range files {
		if filepath.Base(file) != "schema.txt" {
			all = append(all, readCases(t, file)...)
		}
	}
	return all
}

// TestDepends reads the files in testdata/depend, which say of some hundreds of statements what their results depend on. It
// is so, too, if the statements are analysed one after the other by a cache, where many are one template, and with values
// in the tree that are empty.
func TestDepends(t *testing.T) {
	catalog, cases := readShapes(t), allCases(t)
	if len(cases) < 300 {
		t.Errorf("%d statements, want at least 300", len(cases))
	}
	a, cached := NewAnalyzer(), NewCache(Limits{})
	for _, c := range cases {
		c.check(t, "analyzer", a, catalog)
		c.check(t, "cache", cached, catalog)
	}
	if n := cached.Stats().TemplateHits; n < 20 {
		t.Errorf("%d statements had the template of an earlier one, want more", n)
	}
	withBlindDriver(t, func() {
		for _, c := range cases {
			c.check(t, "blind driver", a, catalog)
		}
	})
}

func (c dependsCase) check(t *testing.T, how string, a analyzes, catalog shapes) {
	t.Helper()
	if got, want := c.says(a, catalog), strings.Join(c.sayings, "\n"); got != want {
		t.Errorf("%s:%d, %s: %s\n got:\n%s\n want:\n%s", c.file, c.line, how, c.sql, got, want)
	}
}

// analyzes is an [Analyzer], or a [Cache], which parses statements once that differ in literals.
type analyzes interface {
	Analyze(sql string, env Env) Statement
}

// says analyses the statement and puts in lines what its result depends on.
func (c dependsCase) says(a analyzes, catalog shapes) string {
	env := Env{Schema: "shop", SQLMode: c.settings, UTF8: true, Catalog: catalog}
	st := a.Analyze(c.sql, env)
	if !st.Cacheable {
		return strings.TrimSpace(fmt.Sprintf("refused %s %s", st.Reason, st.Detail))
	}
	var parameters []dep.Literal
	if c.values != "" {
		given := a.Analyze("SELECT 1 FROM products WHERE id IN ("+c.values+")", env)
		parameters = given.Constants(nil)
		parameters = parameters[len(parameters)-strings.Count(c.values, ",")-1:]
	}
	values := st.Constants(parameters)
	var lines []string
	for i, r := range st.Plan.Describe(values) {
		d := st.Plan.Dependencies(values)[i]
		lines = append(lines, saying(r, d)+layout(r, d))
	}
	return strings.Join(lines, "\n")
}

// layout says whether indexes and partitions count.
func layout(r Reading, d dep.Dependency) string {
	switch {
	case r.Layout != d.Layout:
		return ": of the layout it says other than it does"
	case d.Layout:
		return " +layout"
	}
	return ""
}

// saying puts in a line what counts of a table, with the number of tags of a range.
func saying(r Reading, d dep.Dependency) string {
	table := strings.TrimPrefix(r.Table.String(), "shop.")
	if r.Grain != d.Grain || r.Table != d.Table {
		return fmt.Sprintf("%s: said to be %s, is %s", table, r.Grain, d.Grain)
	}
	switch r.Grain {
	case dep.ByTable:
		return fmt.Sprintf("%s table: %s", table, r.Why)
	case dep.ByColumns:
		return strings.TrimSpace(fmt.Sprintf("%s columns %s", table, strings.Join(r.What, ", ")))
	case dep.ByRange:
		return fmt.Sprintf("%s range %s [%d tags]", table, strings.Join(r.What, " or "), len(d.Tags))
	}
	if r.Of != nil {
		return fmt.Sprintf("%s row %s, of it %s", table, strings.Join(r.What, " or "), strings.Join(r.Of, ", "))
	}
	if len(d.Tags) != len(r.What) {
		return fmt.Sprintf("%s: %d tags for %v", table, len(d.Tags), r.What)
	}
	return fmt.Sprintf("%s row %s", table, strings.Join(r.What, " or "))
}
