package main

import (
	"encoding/json"
	"strings"
)

// dashboard is what is said here of one; the rest is the same for all.
type dashboard struct {
	uid, title, purpose string
	rows                []row
}

type row struct {
	title  string
	panels []panel
}

// object is a part of the JSON that Grafana keeps dashboards in. Keys come out in alphabetical order.
type object = map[string]any

func (d dashboard) file() string { return d.uid + ".json" }

// json is the file.
func (d dashboard) json() []byte {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(d.object()); err != nil {
		panic(err) // it is made of strings and numbers
	}
	return []byte(text.String())
}

func (d dashboard) object() object {
	return object{
		"uid": d.uid, "title": "Weir: " + d.title, "description": d.purpose, "tags": []string{"weir"},
		"schemaVersion": 39, "version": 1, "editable": true, "graphTooltip": 1, "refresh": "10s", "timezone": "browser",
		"time":        object{"from": "now-30m", "to": "now"},
		"links":       []object{{"type": "dashboards", "title": "Weir", "icon": "external link", "tooltip": "", "tags": []string{"weir"}, "asDropdown": false, "includeVars": true, "keepTime": true, "targetBlank": false}},
		"annotations": object{"list": []object{schemaChanges}},
		"templating":  object{"list": variables},
		"panels":      d.layOut(),
	}
}

var source = object{"type": "prometheus", "uid": "${datasource}"}

// schemaChanges marks them where they were recorded: the metric's value is the moment.
var schemaChanges = object{
	"name": "Schema changes", "enable": true, "hide": false, "iconColor": "orange", "datasource": source, "target": object{
		"refId": "Anno", "expr": expand(`1000 * (weir_ddl_last_timestamp_seconds{$in} > 0)`),
	},
	"expr": expand(`1000 * (weir_ddl_last_timestamp_seconds{$in} > 0)`), "useValueForTime": true, "step": "10s",
	"titleFormat": "Schema change: {{effect}}", "textFormat": "recorded by {{instance}}; /api/v1/ddl has the statement", "tagKeys": "effect",
}

var variables = []object{
	{"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "current": object{"text": "", "value": ""}, "hide": 0, "refresh": 1},
	labelVariable("job", `label_values(weir_build_info, job)`),
	labelVariable("instance", `label_values(weir_build_info{job=~"$job"}, instance)`),
}

func labelVariable(name, query string) object {
	return object{
		"name": name, "label": name, "type": "query", "datasource": source, "definition": query,
		"query": object{"query": query, "refId": "Variable"}, "refresh": 2, "sort": 1, "hide": 0,
		"multi": true, "includeAll": true, "allValue": ".+", "current": object{"selected": true, "text": []string{"All"}, "value": []string{"$__all"}},
	}
}

// expand writes out what all expressions share.
func expand(expr string) string {
	return strings.NewReplacer("$in", `job=~"$job",instance=~"$instance"`, "$range", "$__rate_interval").Replace(expr)
}

// width is how many columns Grafana has.
const width = 24

// layOut places the panels from left to right, each row under its title.
func (d dashboard) layOut() (all []object) {
	y, id := 0, 0
	add := func(o object, x, w, h int) {
		id++
		o["id"], o["gridPos"] = id, object{"x": x, "y": y, "w": w, "h": h}
		all = append(all, o)
	}
	for _, r := range d.rows {
		add(object{"type": "row", "title": r.title, "collapsed": false, "panels": []object{}}, 0, width, 1)
		y++
		x, tallest := 0, 0
		for _, p := range r.panels {
			if x+p.wide > width {
				x, y, tallest = 0, y+tallest, 0
			}
			add(p.object(), x, p.wide, p.high)
			x, tallest = x+p.wide, max(tallest, p.high)
		}
		y += tallest
	}
	return all
}
