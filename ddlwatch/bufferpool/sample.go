package bufferpool

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"weir/ddlwatch/target"
)

// question asks for what a sample is made of, with the same text on both flavours. Versions differ in what they have:
// Innodb_buffer_pool_load_status is missing before MySQL 5.6 and MariaDB 10.0, and where InnoDB is off all of it is.
const question = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Uptime', 'Innodb_page_size', " +
	"'Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_reads', 'Innodb_buffer_pool_wait_free', " +
	"'Innodb_buffer_pool_pages_total', 'Innodb_buffer_pool_pages_free', 'Innodb_buffer_pool_pages_dirty', " +
	"'Innodb_buffer_pool_pages_data', 'Innodb_buffer_pool_load_status')"

// sample is what a server said once. Numbers that it did not tell are NaN.
type sample struct {
	at                        time.Time // when it was asked
	uptime                    float64   // seconds, whole
	requests, reads, waitFree float64   // counts since the server's start
	total, free, dirty, data  float64   // pages
	pageSize                  float64   // bytes
	load                      string
}

var errNoStatus = errors.New("the server has no status counters of a buffer pool")

// ask asks s once.
func ask(ctx context.Context, s *target.Server) (sample, error) {
	at := time.Now()
	rows, err := s.Query(ctx, question)
	if err != nil {
		return sample{}, err
	}
	return parse(at, rows)
}

func parse(at time.Time, rows [][]string) (sample, error) {
	values := make(map[string]string, len(rows))
	for _, row := range rows {
		if len(row) == 2 {
			values[strings.ToLower(row[0])] = row[1]
		}
	}
	number := func(name string) float64 {
		if v, err := strconv.ParseFloat(values[name], 64); err == nil {
			return v
		}
		return math.NaN()
	}
	pool := func(name string) float64 { return number("innodb_buffer_pool_" + name) }
	s := sample{
		at: at, uptime: number("uptime"), pageSize: number("innodb_page_size"),
		requests: pool("read_requests"), reads: pool("reads"), waitFree: pool("wait_free"),
		total: pool("pages_total"), free: pool("pages_free"), dirty: pool("pages_dirty"), data: pool("pages_data"),
		load: values["innodb_buffer_pool_load_status"],
	}
	if math.IsNaN(s.requests + s.reads) {
		return s, errNoStatus
	}
	return s, nil
}

// loading is the load's status while one runs. Both flavours say "Loaded 12/345 pages" then, and shortly before that they
// are loading from a file; before and after they say that it has not started, is completed, or was aborted.
func (s sample) loading() string {
	if strings.HasPrefix(s.load, "Loaded ") || strings.HasPrefix(s.load, "Loading buffer pool") {
		return s.load
	}
	return ""
}

// uptimeSlack is by how much Uptime may differ from where it should be: it has whole seconds, a busy server takes a while
// to answer, and clocks are corrected.
const uptimeSlack = 3.0

// follows says whether s is from the same run of the same server as before. A server that does not tell its age is only
// found out by its counters.
func (s sample) follows(before sample) bool {
	late := s.uptime - before.uptime - s.at.Sub(before.at).Seconds()
	return !(math.Abs(late) > uptimeSlack || s.uptime < before.uptime ||
		s.requests < before.requests || s.reads < before.reads || s.waitFree < before.waitFree)
}

// share is a part of the pool, NaN if the server does not tell.
func (s sample) share(pages float64) float64 {
	if s.total > 0 {
		return pages / s.total
	}
	return math.NaN()
}
