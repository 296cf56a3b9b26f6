package demo

import (
	"strings"
	"testing"
	"time"

	"weir/cmd/weir/status"
)

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name string
		s    second
		want string
	}{
		{
			"a usual second",
			second{at: 12 * time.Second, queries: 12345, hits: 10000, lagP50: 1234 * time.Microsecond, lagP99: 15 * time.Millisecond, compared: 1200},
			"  12 s      12,345   81.0 %    1.23 ms   15.00 ms      1,200       0",
		},
		{
			"nothing happened",
			second{at: time.Second},
			"   1 s           0        -          -          -          0       0",
		},
	} {
		if got := c.s.line(false); got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", c.name, got, c.want)
		}
	}
	if got, want := header(false), "  time   queries/s     hits    lag p50    lag p99   compared   stale"; got != want {
		t.Errorf("header:\ngot  %q\nwant %q", got, want)
	}
}

// TestLineColour: only a line with a stale answer stands out, and only where colours are shown.
func TestLineColour(t *testing.T) {
	for _, c := range []struct {
		stale   int64
		palette palette
		want    bool
	}{
		{0, true, false},
		{1, true, true},
		{1, false, false},
	} {
		if got := strings.Contains(second{stale: c.stale}.line(c.palette), "\x1b["); got != c.want {
			t.Errorf("%d stale, palette %v: coloured %v, want %v", c.stale, c.palette, got, c.want)
		}
	}
}

var someSummary = Summary{
	Server: "MariaDB 10.11.6",
	With:   Phase{Duration: 20 * time.Second, Queries: 240000, P50: 300 * time.Microsecond, P99: 4 * time.Millisecond, Commits: 400, Selects: 48000},
	Without: Phase{
		Duration: 6700 * time.Millisecond, Queries: 26800, P50: 2 * time.Millisecond, P99: 9 * time.Millisecond, Commits: 134, Selects: 26900,
	},
	Hits: 204000, Probes: 180, LagP50: 1500 * time.Microsecond, LagP99: 12 * time.Millisecond, Compared: 900,
}

func TestSummaryText(t *testing.T) {
	const want = `Summary: MariaDB 10.11.6

                                with Weir        without
time                               20.0 s          6.7 s
queries                           240,000         26,800
queries per second                 12,000          4,000   3.0 times with Weir
latency p50                       0.30 ms        2.00 ms
latency p99                       4.00 ms        9.00 ms
SELECTs on the servers             48,000         26,900   in all, those of Weir and of the comparisons included
for each query                       0.20           1.00
commits on the source                 400            134   by the writers

hit ratio                          85.0 %
server-side queries saved         192,000
invalidation lag                  1.50 ms       12.00 ms   p50 and p99 of 180 changes, from commit to new answer

0 stale answers found, 900 compared.
`
	if got := someSummary.text(false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := someSummary.Err(); err != nil {
		t.Errorf("nothing was stale, and yet: %v", err)
	}
}

func TestSummaryBad(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Summary)
		text   string // at the end
		err    string
	}{
		{
			"stale", func(s *Summary) { s.Stale, s.Example = 2, "SELECT 1\n..." },
			"2 stale answers found, 900 compared.\n\nThe first:\nSELECT 1\n...\n",
			"2 stale answers found, 900 compared; this must not happen, please report it with the text above",
		},
		{
			"wrong", func(s *Summary) { s.Wrong = 1 },
			"0 stale answers found, 900 compared.\n1 answers to readers belong to another statement.\n",
			"1 answers belong to another statement; this must not happen, please report it with the text above",
		},
		{
			"behind is not Weir's", func(s *Summary) { s.Behind, s.Undecided = 3, 7 },
			"0 stale answers found, 900 compared. 7 comparisons decided nothing: the answer kept changing.\n3 old answers came from a replica that was behind by more than max_staleness.\n",
			"",
		},
		{
			"nothing compared", func(s *Summary) { s.Compared = 0 },
			"0 stale answers found, 0 compared.\n",
			"no answer was compared with the source, so nothing is shown",
		},
	} {
		s := someSummary
		c.change(&s)
		if got := s.text(false); !strings.HasSuffix(got, "\n\n"+c.text) {
			t.Errorf("%s: got\n%s\nwant at the end\n%s", c.name, got, c.text)
		}
		got := ""
		if err := s.Err(); err != nil {
			got = err.Error()
		}
		if got != c.err {
			t.Errorf("%s: error %q, want %q", c.name, got, c.err)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567", -999: "-999", -1000: "-1,000",
	} {
		if got := status.Grouped(n); got != want {
			t.Errorf("status.Grouped(%d) = %q, want %q", n, got, want)
		}
	}
}
