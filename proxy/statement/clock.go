package statement

import (
	"slices"
	"strings"

	"weir/cache/dep"
)

// needsDate are the functions that complete a TIME argument with the current date.
const needsDate = `
adddate add_months convert_tz date date_add date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear
extract last_day month monthname quarter subdate timestamp timestampadd timestampdiff to_char to_days to_seconds
unix_timestamp week weekday weekofyear year yearweek`

// A clock finds where a value of type TIME would be completed with the current date: where a function or cast wants a
// date, and where it is compared or mixed with a date. Types of expressions are not computed. What counts is whether
// a column of type TIME, known by its name alone, or a function that returns a TIME is part of the expression; that
// refuses too much, but never too little. Nothing can be said before all tables are known, so the places are
// collected first and judged in the end.
type clock struct {
	// names are the columns of type TIME, and what they are called further out.
	names map[string]bool
	// blind says that the catalog does not tell types; produced, that some function returns a TIME.
	blind, produced bool

	places  []place
	aliases []alias
	usings  []string
	// open says that columns meet that cannot be told; renamed, that columns get new names in a list.
	open, renamed bool
}

// value is what is known of the type of an expression: nothing, for a literal; the columns that may give it its type;
// that it may be a TIME that a function returned; that it may be anything else.
type value struct {
	columns     []string
	time, other bool
}

type place struct {
	what   string
	values []value
	// convert says that each value becomes a date; otherwise they are compared with each other. strict says that a
	// column of unknown type counts too.
	convert, strict bool
}

type alias struct {
	name string
	value
}

func (v value) isLiteral() bool { return len(v.columns) == 0 && !v.time && !v.other }

func join(values ...value) value {
	var out value
	for _, v := range values {
		out.columns = append(out.columns, v.columns...)
		out.time, out.other = out.time || v.time, out.other || v.other
	}
	return out
}

// table notes the columns of type TIME of a table.
func (c *clock) table(catalog Catalog, n dep.Name) {
	t, ok := catalog.(TimeColumns)
	if !ok {
		c.blind = true
		return
	}
	for _, name := range t.TimeColumns(n) {
		c.name(name)
	}
}

func (c *clock) name(name string) {
	if c.names == nil {
		c.names = map[string]bool{}
	}
	c.names[strings.ToLower(name)] = true
}

// timeOfDay is the value of a function that returns a TIME.
func (c *clock) timeOfDay() value {
	c.produced = true
	return value{time: true}
}

// convert notes that the values become dates.
func (c *clock) convert(what string, strict bool, values ...value) {
	values = slices.DeleteFunc(slices.Clone(values), value.isLiteral)
	if len(values) > 0 {
		c.places = append(c.places, place{what: what, values: values, convert: true, strict: strict})
	}
}

// mix notes that the values are compared, or that the result may be any of them, and returns what that is.
func (c *clock) mix(what string, values ...value) value {
	values = slices.DeleteFunc(slices.Clone(values), value.isLiteral)
	if len(values) > 1 {
		c.places = append(c.places, place{what: what, values: values})
	}
	return join(values...)
}

// alias notes what a column of a query is called further out. Inside of another query, a column without a name of
// its own cannot be followed.
func (c *clock) alias(name string, v value, inner bool) {
	if v.isLiteral() || name == "" && !inner {
		return
	}
	c.aliases = append(c.aliases, alias{name, v})
}

func (c *clock) setOperation()     { c.open = true }
func (c *clock) rename()           { c.renamed = true }
func (c *clock) using(name string) { c.usings = append(c.usings, name) }

// meets tells whether a TIME may meet a date, and where.
func (c *clock) meets() (where string, yes bool) {
	c.close()
	if c.produced || len(c.names) > 0 {
		if where, yes = c.unclear(); yes {
			return where, true
		}
	}
	for _, p := range c.places {
		if p.convert && slices.ContainsFunc(p.values, func(v value) bool { return c.dated(v, p.strict) }) {
			return p.what, true
		}
		if !p.convert && slices.ContainsFunc(p.values, c.isTime) && !c.onlyTimes(p.values) {
			return p.what, true
		}
	}
	return "", false
}

// close adds the names under which TIMEs are known further out, until there are no more.
func (c *clock) close() {
	for more := true; more; {
		more = false
		for _, a := range c.aliases {
			if !c.names[a.name] && c.isTime(a.value) {
				c.name(a.name)
				more = true
			}
		}
	}
}

// unclear tells whether columns meet of which it is not known which ones they are, now that there are TIMEs about.
func (c *clock) unclear() (where string, yes bool) {
	switch {
	case c.open:
		return "UNION or NATURAL JOIN", true
	case c.renamed:
		return "column list", true
	case c.names[""]:
		return "column without a name", true
	}
	i := slices.IndexFunc(c.usings, func(name string) bool { return c.names[name] })
	return "USING", i >= 0
}

func (c *clock) dated(v value, strict bool) bool {
	return c.isTime(v) || strict && c.blind && len(v.columns) > 0
}

func (c *clock) isTime(v value) bool {
	return v.time || slices.ContainsFunc(v.columns, func(n string) bool { return c.names[n] })
}

func (c *clock) onlyTimes(values []value) bool {
	for _, v := range values {
		if v.other || slices.ContainsFunc(v.columns, func(n string) bool { return !c.names[n] }) {
			return false
		}
	}
	return true
}
