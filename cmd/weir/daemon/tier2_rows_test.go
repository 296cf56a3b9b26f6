package daemon

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// rows are a table whose rows count up, each by itself, and when each value of each was committed at the latest.
type rows []clock

const rowsTable = "CREATE TABLE shop.numbered (id INT PRIMARY KEY, n INT, pad VARCHAR(200)) ENGINE=InnoDB"

// newRows makes the table.
func newRows(d *client, count int) rows {
	d.run(rowsTable)
	values := make([]string, count)
	for id := range values {
		values[id] = fmt.Sprintf("(%d, 0, REPEAT('x', 100))", id)
	}
	d.run("INSERT INTO shop.numbered VALUES " + strings.Join(values, ", "))
	r := make(rows, count)
	for id := range r {
		r[id].at = []time.Time{time.Now()}
	}
	return r
}

// up counts one row up. It is for one goroutine.
func (r rows) up(d *client, id int) error {
	n := r.now(id) + 1
	if a := d.ask(fmt.Sprintf("UPDATE shop.numbered SET n = %d WHERE id = %d", n, id)); strings.HasPrefix(string(a), "error") {
		return fmt.Errorf("count row %d up to %d: %s", id, n, a)
	}
	r[id].mu.Lock()
	defer r[id].mu.Unlock()
	r[id].at = append(r[id].at, time.Now())
	return nil
}

// now is the last value that was committed for certain.
func (r rows) now(id int) int {
	r[id].mu.Lock()
	defer r[id].mu.Unlock()
	return len(r[id].at) - 1
}

// total is the sum of these.
func (r rows) total() (sum int) {
	for id := range r {
		sum += r.now(id)
	}
	return sum
}

// rowQuestion is something that can be asked about the rows.
type rowQuestion struct {
	text string
	// values are what the answer says of which rows.
	values func(answer) (map[int]int, error)
	// ids are the rows that it must say something of; nil is their sum alone, as row -1.
	ids []int
}

// one asks for one row: an entry that depends on a row.
func (r rows) one(id int) rowQuestion {
	return rowQuestion{
		text: fmt.Sprintf("SELECT n FROM shop.numbered WHERE id = %d", id), ids: []int{id},
		values: func(a answer) (map[int]int, error) {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(string(a), "n\n"), "\n"))
			return map[int]int{id: n}, err
		},
	}
}

// some asks for ten rows: an entry that depends on ranges.
func (r rows) some(first int) rowQuestion {
	q := rowQuestion{text: fmt.Sprintf("SELECT id, n, pad FROM shop.numbered WHERE id BETWEEN %d AND %d", first, first+9), values: readRows}
	for id := first; id < min(first+10, len(r)); id++ {
		q.ids = append(q.ids, id)
	}
	return q
}

func readRows(a answer) (map[int]int, error) {
	lines := strings.Split(strings.TrimSuffix(string(a), "\n"), "\n")
	values := map[int]int{}
	for _, line := range lines[1:] {
		cells := strings.Split(line, "|")
		if len(cells) != 3 || cells[2] != strings.Repeat("x", 100) {
			return nil, fmt.Errorf("the row %q", line)
		}
		id, err := strconv.Atoi(cells[0])
		if err != nil {
			return nil, err
		}
		if values[id], err = strconv.Atoi(cells[1]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// sum asks for the sum of all rows: an entry that depends on columns.
func (r rows) sum() rowQuestion {
	return rowQuestion{
		text: "SELECT SUM(n) AS n FROM shop.numbered",
		values: func(a answer) (map[int]int, error) {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(string(a), "n\n"), "\n"))
			return map[int]int{-1: n}, err
		},
	}
}

// check asks, and reports an answer that is an error, or lacks something that was committed max_staleness before it was
// asked for, or says what was never written.
func (r rows) check(c *client, q rowQuestion) error {
	asked := time.Now()
	return r.judge(c, q, func(id int) (int, time.Time) { return r.least(id, asked) })
}

// checkNow asks while nobody writes and everything is recorded: the answer must be what is there.
func (r rows) checkNow(c *client, q rowQuestion) error {
	return r.judge(c, q, func(id int) (int, time.Time) {
		if id < 0 {
			return r.total(), time.Now()
		}
		return r.now(id), time.Now()
	})
}

// least is the smallest value that an answer to a question of that moment may have, and when it was committed.
func (r rows) least(id int, asked time.Time) (n int, at time.Time) {
	if id >= 0 {
		return r[id].least(asked)
	}
	for id := range r {
		m, last := r[id].least(asked)
		if n += m; last.After(at) {
			at = last
		}
	}
	return n, at
}

func (r rows) judge(c *client, q rowQuestion, least func(id int) (int, time.Time)) error {
	ids := q.ids
	if ids == nil {
		ids = []int{-1}
	}
	type want struct {
		n  int
		at time.Time
	}
	wanted := map[int]want{}
	for _, id := range ids {
		n, at := least(id)
		wanted[id] = want{n, at}
	}
	got := c.ask(q.text)
	values, err := q.values(got)
	if err != nil || len(values) != len(ids) {
		return fmt.Errorf("%s: %q (%v)", q.text, got, err)
	}
	for id, w := range wanted {
		n, said := values[id]
		if most := r.most(id); !said || n < w.n || n > most {
			return fmt.Errorf("%s gave %d for row %d, but %d was committed %s ago, and nothing above %d was written", q.text, n, id, w.n, time.Since(w.at), most)
		}
	}
	return nil
}

// most is what an answer may say at most: what was committed, and what is being written to one row.
func (r rows) most(id int) int {
	if id < 0 {
		return r.total() + 1
	}
	return r.now(id) + 1
}
