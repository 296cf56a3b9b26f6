package daemon

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"weir/proxy/virtual"
)

// tablesAPI tells what is in the tables that Weir answers itself, as JSON:
//
//	/api/v1/                                        what there is
//	/api/v1/statements[?limit=100&order=-hits]      {"statements": [...]}, a key for each column
//
// and so on. The admin port has no accounts: it shows everything, but literals of clients' statements.
type tablesAPI struct{ set *virtual.Set }

// apiNames are tables whose paths are not their names. /api/v1/ddl is [ddlAPI]'s.
var apiNames = map[string]string{"query_cache_info": "query_cache", "ddl": ""}

// register adds the paths to mux.
func (a tablesAPI) register(mux *http.ServeMux) {
	for _, t := range a.set.All() {
		name, renamed := apiNames[t.Name]
		if !renamed {
			name = t.Name
		}
		if name != "" {
			mux.HandleFunc("GET /api/v1/"+name, answerJSON(a.list(name, t)))
		}
	}
	mux.HandleFunc("GET /api/v1/{$}", answerJSON(a.contents))
}

func (a tablesAPI) list(name string, t *virtual.Table) func(url.Values) (any, error) {
	return func(q url.Values) (any, error) {
		limit, err := limitOf(q)
		if err != nil {
			return nil, err
		}
		rows, err := t.Objects(virtual.Viewer{Process: true}, q.Get("order"), limit)
		if err != nil {
			return nil, err
		}
		return map[string]any{name: rows}, nil
	}
}

// path is one that the admin port answers.
type path struct {
	Path    string   `json:"path"`
	What    string   `json:"what"`
	Columns []string `json:"columns,omitempty"`
}

// contents lists the paths, of tables with the columns by which they can be ordered.
func (a tablesAPI) contents(url.Values) (any, error) {
	list := []path{
		{Path: "/api/v1/bufferpool", What: "the buffer pool of each server, and advice"},
		{Path: "/api/v1/ddl", What: "the last schema changes, newest first"},
		{Path: "/api/v1/ddl/annotations", What: "the same as marks for Grafana"},
		{Path: "/api/v1/ddl/gates", What: "the tables whose reads are paced now"},
		{Path: "/api/v1/ddl/inflight", What: "schema changes that run now, on every server"},
		{Path: "/api/v1/events", What: "the overview once a second, as server-sent events"},
		{Path: "/api/v1/overview", What: "what the status page shows"},
	}
	for _, t := range a.set.All() {
		name, renamed := apiNames[t.Name]
		if renamed && name == "" {
			continue
		}
		if !renamed {
			name = t.Name
		}
		p := path{Path: "/api/v1/" + name, What: fmt.Sprintf("the rows of %s.%s", t.Schema, t.Name)}
		for _, c := range t.Columns {
			p.Columns = append(p.Columns, strings.ToLower(c.Name))
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b path) int { return strings.Compare(a.Path, b.Path) })
	return map[string]any{"paths": list}, nil
}
