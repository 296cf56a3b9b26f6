package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// module is in front of the import path of every package of ours.
const module = "weir/"

// parts are the packages that only cmd may put together.
var parts = []string{"cache/...", "replicator/...", "ddlwatch/...", "proxy/...", "deployments/...", "docs"}

// rule says in which direction imports may go, for the code that is shipped; tests are free. A package depends on
// another if it imports it, itself or through others. Patterns leave the module's name out; x/... is x and all below it.
type rule struct {
	of []string

	only    []string // of our packages it may depend on these; nil means any
	never   []string // and on none of these
	stdOnly bool     // on nothing but the standard library

	reason string
}

var rules = []rule{
	{
		of: []string{"cache"}, only: []string{},
		reason: "the rule must be readable, and testable, without SQL, binlogs or servers",
	},
	{
		of: []string{"cache/dep"}, only: []string{"cache"},
		reason: "the words that both sides agree on must not know either side",
	},
	{
		of: []string{"cache/redistier"}, only: []string{"cache"},
		reason: "what is stored elsewhere is bytes with a place and tags; what they mean is the others' business",
	},
	{
		of: []string{"cache/..."}, never: []string{"replicator/...", "ddlwatch/...", "proxy/..."},
		reason: "those who fill the cache and those who keep it true know the cache; it knows neither",
	},
	{
		of: []string{"replicator/..."}, never: []string{"ddlwatch", "proxy"},
		reason: "data flows one way: the reader hands transactions to later stages through an interface of its own",
	},
	{
		of: []string{"ddlwatch/..."}, never: []string{"replicator", "proxy"},
		reason: "the DDL stage works on transactions, wherever they come from",
	},
	{
		of: []string{"proxy/..."}, never: []string{"replicator", "ddlwatch"},
		reason: "the proxy asks the ledger what may be served, not how the ledger came to know",
	},
	{
		of: []string{"proxy/wire"}, stdOnly: true,
		reason: "it decodes what strangers send; whoever reviews it must not have to read anything else",
	},
	{
		of: []string{"replicator/gtid"}, stdOnly: true,
		reason: "whether a position covers a transaction is set arithmetic, and every proof rests on it",
	},
	{
		of: []string{"replicator/change", "replicator/identity"}, never: []string{"replicator"},
		reason: "they are the words that other packages share with the reader",
	},
	{
		of: []string{"deployments/sandbox"}, only: []string{},
		reason: "the tests of all other packages start servers with it, and imports must not go in a circle",
	},
	{
		of: []string{"deployments/sandbox/sandboxtest"}, only: []string{"deployments/sandbox"},
		reason: "as for the sandbox",
	},
	{
		of: []string{"cache/...", "replicator/...", "ddlwatch/...", "proxy/..."}, never: []string{"deployments/..."},
		reason: "what starts servers for tests and for the demo has no place in what serves clients",
	},
	{
		of: []string{"docs"}, stdOnly: true,
		reason: "it is the manual",
	},
	{
		of: parts, never: []string{"cmd/..."},
		reason: "cmd puts the parts together; what needs cmd is not a part",
	},
}

// TestImports keeps the directions.
func TestImports(t *testing.T) {
	list := listPackages(t)
	for _, r := range rules {
		of := list.matching(r.of)
		if len(of) == 0 {
			t.Errorf("there is no package %v; take its rule out", r.of)
		}
		for _, p := range of {
			for _, d := range slices.DeleteFunc(slices.Clone(p.Deps), func(d string) bool { return r.allows(list, d) }) {
				t.Errorf("%s depends on %s: %s", p.ImportPath, d, r.reason)
			}
		}
	}
}

// TestImportsOfNewPackages: only cmd may import everyone. A package that is neither in cmd nor below one of the parts
// would escape the rules.
func TestImportsOfNewPackages(t *testing.T) {
	for path := range listPackages(t) {
		name, ours := strings.CutPrefix(path, module)
		if ours && !matches(name, parts) && !matches(name, []string{"cmd/..."}) {
			t.Errorf("no rule says what %s may import; add it to the rules", path)
		}
	}
}

// TestImportsRules: the rules can fail, and each part of them for the right packages.
func TestImportsRules(t *testing.T) {
	list := packages{"fmt": {Standard: true}, "vendor.example/x": {}, module + "cache": {}, module + "proxy/wire": {}}
	for _, c := range []struct {
		name   string
		rule   rule
		dep    string
		allows bool
	}{
		{"no limit", rule{}, module + "cache", true},
		{"none of ours", rule{only: []string{}}, module + "cache", false},
		{"none of ours, but others", rule{only: []string{}}, "vendor.example/x", true},
		{"only the named", rule{only: []string{"cache"}}, module + "cache", true},
		{"only the named, not another", rule{only: []string{"cache"}}, module + "proxy/wire", false},
		{"never the root says nothing of what is below", rule{never: []string{"proxy"}}, module + "proxy/wire", true},
		{"never the tree", rule{never: []string{"proxy/..."}}, module + "proxy/wire", false},
		{"the tree has a root", rule{never: []string{"cache/..."}}, module + "cache", false},
		{"standard library", rule{stdOnly: true}, "fmt", true},
		{"standard library, no module", rule{stdOnly: true}, "vendor.example/x", false},
		{"standard library, none of ours", rule{stdOnly: true}, module + "cache", false},
	} {
		if got := c.rule.allows(list, c.dep); got != c.allows {
			t.Errorf("%s: allows(%s) = %v, want %v", c.name, c.dep, got, c.allows)
		}
	}
}

func (r rule) allows(list packages, dep string) bool {
	if r.stdOnly {
		return list[dep].Standard
	}
	name, ours := strings.CutPrefix(dep, module)
	return !ours || !matches(name, r.never) && (r.only == nil || matches(name, r.only))
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		root, tree := strings.CutSuffix(p, "/...")
		return name == root || tree && strings.HasPrefix(name, root+"/")
	})
}

// listed is what go list tells of a package.
type listed struct {
	ImportPath string
	Standard   bool
	Deps       []string // all, not only the ones that it imports itself
}

// packages by import path: ours, and all that they depend on.
type packages map[string]listed

func (all packages) matching(patterns []string) (found []listed) {
	for path, p := range all {
		if name, ours := strings.CutPrefix(path, module); ours && matches(name, patterns) {
			found = append(found, p)
		}
	}
	return found
}

func listPackages(t *testing.T) packages {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Standard,Deps", "./...")
	cmd.Dir = "../.."
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &problems)
	}
	return decodePackages(t, out)
}

func decodePackages(t *testing.T, out []byte) packages {
	t.Helper()
	all := packages{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("read the output of go list: %v", err)
		}
		all[p.ImportPath] = p
	}
}
