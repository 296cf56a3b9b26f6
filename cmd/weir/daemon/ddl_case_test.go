package daemon

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weir/deployments/sandbox"
)

// ddlClasses are what a statement can do to results, as the issue of the DDL watcher names it.
var ddlClasses = []string{"none", "shape", "gone", "swap", "schema", "view", "routine", "trigger", "account", "unknown"}

// ddlGroup is a state that a schema can be in, and what is asked of it. The files in testdata/ddl are read like this:
//
//	# a comment
//	group NAME
//	setup: SQL            makes the state, in a schema of its own: $this; $other is a second one
//	query: SQL            is warm before the statement and compared after it
//	query layout: SQL     likewise, of a query that names an index or a partition, or needs one: class none is not for it
//	bound: SQL <- 5       likewise, prepared before the statement, and executed with that number
//	control: SQL          a query that has nothing to do with the statement
//	write: SQL            changes rows afterwards, and in the background; it may fail
//
// and then, for each statement:
//
//	case CLASS: SQL               one of ddlClasses
//	case CLASS unseen: SQL        no answer changes, though the class says that one might
//	case CLASS far: SQL           it is known to cost the controls, too: foreign keys change, or whoever writes writes there
//	before: SQL                   for the case before this line: a part of its state
//	after: SQL                    puts back what is not in its schemas
//
// In front of each of these, "mysql" or "mariadb" keeps the line for that flavour.
type ddlGroup struct {
	name                    string
	setup, controls, writes []string
	queries, bound          []ddlQuery
}

// ddlQuery is a query, and its tag.
type ddlQuery struct{ tag, sql string }

// ddlCase is a statement.
type ddlCase struct {
	group         *ddlGroup
	where         string // file and line
	schema        string
	class         string
	unseen, far   bool
	raced         bool // rows are changed while it runs; every other one is, on MariaDB those that are not on MySQL
	sql           string
	before, after []string
}

// ddlCases reads the files for a flavour.
func ddlCases(t *testing.T, flavor sandbox.Flavor) []*ddlCase {
	t.Helper()
	files, err := filepath.Glob("testdata/ddl/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no DDL statements", err)
	}
	r := ddlReader{flavor: string(flavor)}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(b), "\n") {
			r.where = fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
			if err := r.line(strings.TrimSpace(line)); err != nil {
				t.Fatalf("%s: %s: %v", r.where, line, err)
			}
		}
	}
	return r.cases
}

// ddlReader takes line after line.
type ddlReader struct {
	flavor, where string
	group         *ddlGroup
	cases         []*ddlCase
}

func (r *ddlReader) line(line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	if name, ok := strings.CutPrefix(line, "group "); ok {
		r.group = &ddlGroup{name: name}
		return nil
	}
	head, sql, _ := strings.Cut(line, ": ")
	words := strings.Fields(head)
	if words[0] == "mysql" || words[0] == "mariadb" {
		if !strings.EqualFold(words[0], r.flavor) {
			return nil
		}
		words = words[1:]
	}
	if r.group == nil || len(words) == 0 || sql == "" {
		return fmt.Errorf("this is not a line of a group")
	}
	return r.item(words, sql)
}

func (r *ddlReader) item(words []string, sql string) error {
	g := r.group
	switch words[0] {
	case "setup":
		g.setup = append(g.setup, sql)
	case "query":
		g.queries = append(g.queries, ddlQuery{strings.Join(words[1:], " "), sql})
	case "bound":
		g.bound = append(g.bound, ddlQuery{"", sql})
	case "control":
		g.controls = append(g.controls, sql)
	case "write":
		g.writes = append(g.writes, sql)
	case "case":
		return r.begin(words[1:], sql)
	case "before", "after":
		return r.append(words[0], sql)
	default:
		return fmt.Errorf("%q is not known", words[0])
	}
	return nil
}

// begin reads CLASS [unseen] [far].
func (r *ddlReader) begin(words []string, sql string) error {
	if len(words) == 0 || !slices.Contains(ddlClasses, words[0]) {
		return fmt.Errorf("the class is none of %v", ddlClasses)
	}
	c := &ddlCase{group: r.group, where: r.where, class: words[0], sql: sql, schema: fmt.Sprintf("ddl_%s_%d", r.group.name, len(r.cases))}
	c.unseen, c.far = slices.Contains(words, "unseen"), slices.Contains(words, "far")
	c.raced = c.class != "none" && (len(r.cases)%2 == 0) == (r.flavor == string(sandbox.MySQL))
	r.cases = append(r.cases, c)
	return nil
}

func (r *ddlReader) append(what, sql string) error {
	if len(r.cases) == 0 || r.cases[len(r.cases)-1].group != r.group {
		return fmt.Errorf("there is no case before it")
	}
	c := r.cases[len(r.cases)-1]
	if what == "before" {
		c.before = append(c.before, sql)
	} else {
		c.after = append(c.after, sql)
	}
	return nil
}

// in puts the names of the case's schemas into a statement.
func (c *ddlCase) in(sql string) string {
	return strings.NewReplacer("$this", c.schema, "$other", c.schema+"_other").Replace(sql)
}

// setUp are the statements that make the case's state.
func (c *ddlCase) setUp() []string {
	all := []string{"CREATE DATABASE $this", "USE $this"}
	if strings.Contains(strings.Join(slices.Concat(c.group.setup, c.before, []string{c.sql}), " "), "$other") {
		all = append(all, "CREATE DATABASE $other")
	}
	return slices.Concat(all, c.group.setup, c.before)
}

// perClass counts the cases.
func perClass(cases []*ddlCase) string {
	n := map[string]int{}
	for _, c := range cases {
		n[c.class]++
	}
	var b strings.Builder
	for _, class := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(&b, "%s %d, ", class, n[class])
	}
	return strings.TrimSuffix(b.String(), ", ")
}
