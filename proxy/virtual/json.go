package virtual

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Object is a row with the names of the columns, in their order.
type Object struct {
	table *Table
	row   []any
}

// MarshalJSON implements [json.Marshaler]: numbers are numbers, YES and NO are true and false, times are as in RFC 3339.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, c := range o.table.Columns {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(plainJSON(o.row[i]))
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		fmt.Fprintf(&b, "%q:%s", strings.ToLower(c.Name), text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func plainJSON(v any) any {
	switch v := v.(type) {
	case time.Time:
		if v.IsZero() {
			return nil
		}
		return v.UTC().Format("2006-01-02T15:04:05.000000Z07:00")
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	}
	return v
}

// Objects returns the rows as the viewer sees them, ordered by a column, descending if its name begins with a minus sign,
// and no more than limit of them. Without an order they are as Rows gives them.
func (t *Table) Objects(v Viewer, order string, limit int) ([]Object, error) {
	rows, _ := t.Shown(v)
	if order != "" {
		name, down := strings.CutPrefix(order, "-")
		column := t.column(name)
		if column < 0 {
			return nil, fmt.Errorf("order: there is no column %q; /api/v1/ lists them", name)
		}
		q := Query{order: []key{{column, down}}}
		slices.SortStableFunc(rows, q.compare)
	}
	list := make([]Object, 0, min(limit, len(rows)))
	for _, row := range rows[:min(limit, len(rows))] {
		list = append(list, Object{t, row})
	}
	return list, nil
}
