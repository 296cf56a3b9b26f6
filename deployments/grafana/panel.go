package main

import "maps"

// panel shows queries.
type panel struct {
	title string
	// advice says what it shows, and what to do about it.
	advice  string
	kind    string
	unit    string
	wide    int
	high    int
	queries []query
	options object
	// field is what is added to the defaults of all fields.
	field object
}

// query is an expression, in which $in stands for the instances that are looked at and $range for the window of a rate.
type query struct{ expr, legend string }

// graph shows queries over time, two beside each other.
func graph(title, unit, advice string, queries ...query) panel {
	return panel{
		title: title, unit: unit, advice: advice, kind: "timeseries", wide: 12, high: 8, queries: queries,
		options: object{
			"legend":  object{"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []string{}},
			"tooltip": object{"mode": "multi", "sort": "desc"},
		},
		field: object{"custom": object{"lineWidth": 1, "fillOpacity": 8, "showPoints": "never", "spanNulls": false}},
	}
}

// third makes three of them stand beside each other.
func third(p panel) panel {
	p.wide = width / 3
	return p
}

// stacked adds what is shown up.
func stacked(p panel) panel {
	custom := maps.Clone(p.field["custom"].(object))
	custom["stacking"], custom["fillOpacity"] = object{"mode": "normal", "group": "A"}, 30
	p.field = object{"custom": custom}
	return p
}

// number shows the last value in large, green below the first threshold, and red from the second on. With thresholds
// that fall it is the other way round.
func number(title, unit, advice string, good, bad float64, queries ...query) panel {
	steps := []object{{"color": "green", "value": nil}, {"color": "orange", "value": good}, {"color": "red", "value": bad}}
	if good > bad {
		steps = []object{{"color": "red", "value": nil}, {"color": "orange", "value": bad}, {"color": "green", "value": good}}
	}
	return panel{
		title: title, unit: unit, advice: advice, kind: "stat", wide: 4, high: 4, queries: queries,
		options: object{
			"colorMode": "value", "graphMode": "area", "justifyMode": "auto", "textMode": "auto", "orientation": "auto",
			"wideLayout": true, "showPercentChange": false, "percentChangeColorMode": "standard",
			"reduceOptions": object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
		},
		field: object{"thresholds": object{"mode": "absolute", "steps": steps}},
	}
}

// heatmap shows how the buckets of a histogram fill over time.
func heatmap(title, advice, expr string) panel {
	return panel{
		title: title, unit: "s", advice: advice, kind: "heatmap", wide: 12, high: 8, queries: []query{{expr, "{{le}}"}},
		options: object{
			"calculate": false, "cellGap": 1, "showValue": "never", "exemplars": object{"color": "rgba(255,0,255,0.7)"}, "yAxis": object{"unit": "s", "axisPlacement": "left"}, "rowsFrame": object{"layout": "auto"},
			"color":  object{"mode": "scheme", "scheme": "Oranges", "steps": 64, "exponent": 0.5, "fill": "dark-orange", "reverse": false},
			"legend": object{"show": true}, "tooltip": object{"mode": "single", "showColorScale": false, "yHistogram": true},
		},
	}
}

// ranking shows the largest of many as bars, over the whole time that is looked at.
func ranking(title, unit, advice, expr, legend string) panel {
	return panel{
		title: title, unit: unit, advice: advice, kind: "bargauge", wide: 12, high: 8, queries: []query{{expr, legend}},
		options: object{
			"displayMode": "basic", "orientation": "horizontal", "showUnfilled": true, "valueMode": "color",
			"legend": object{"displayMode": "list", "placement": "bottom", "showLegend": false, "calcs": []string{}}, "namePlacement": "auto", "sizing": "auto", "minVizHeight": 16, "minVizWidth": 8, "maxVizHeight": 300,
			"reduceOptions": object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
		},
	}
}

func (p panel) object() object {
	defaults := object{"unit": p.unit, "mappings": []object{}}
	maps.Copy(defaults, p.field)
	targets := make([]object, len(p.queries))
	for i, q := range p.queries {
		targets[i] = p.target(q, i)
	}
	options := p.options
	if options == nil {
		options = object{}
	}
	return object{
		"type": p.kind, "title": p.title, "description": p.advice, "datasource": source, "targets": targets,
		"options": options, "fieldConfig": object{"defaults": defaults, "overrides": []object{}},
	}
}

func (p panel) target(q query, i int) object {
	t := object{
		"refId": string(rune('A' + i)), "datasource": source, "expr": expand(q.expr), "legendFormat": q.legend,
		"format": "time_series", "instant": false, "range": true,
	}
	switch p.kind {
	case "heatmap":
		t["format"] = "heatmap"
	case "bargauge":
		t["instant"], t["range"] = true, false
	}
	return t
}

// quantiles are three queries over a histogram. by are the labels that are kept, each followed by a comma.
func quantiles(histogram, by, legend string) (all []query) {
	for _, q := range [...]struct{ share, name string }{{"0.5", "p50"}, {"0.99", "p99"}, {"0.999", "p99.9"}} {
		all = append(all, query{"histogram_quantile(" + q.share + ", sum by (" + by + "le) (rate(" + histogram + "_bucket{$in}[$range])))", q.name + legend})
	}
	return all
}

// rate is the increase in a second of a counter, by one label.
func rate(counter, label string) query {
	return query{"sum by (" + label + ") (rate(" + counter + "{$in}[$range]))", "{{" + label + "}}"}
}

// total is that of a counter without a label to be kept.
func total(counter, legend string) query {
	return query{"sum(rate(" + counter + "{$in}[$range]))", legend}
}

// value is a gauge, by one label.
func value(gauge, label string) query {
	return query{"max by (" + label + ") (" + gauge + "{$in})", "{{" + label + "}}"}
}
