package status

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"weir/cmd/weir/status/browsertest"
)

// hostile is a text that would run if it was taken for markup.
const hostile = "SELECT `<img src=x onerror=console.error(1)>` FROM t WHERE v = ? </script><script>console.error(2)</script>"

// busy is a reading of a Weir that does a lot, seconds after its start.
func busy(at time.Time, seconds int) Reading {
	n := Figure(seconds)
	wave := Figure(math.Sin(float64(seconds)/40)) + 1.2
	sum := Figure(40-40*math.Cos(float64(seconds)/40)) + 1.2*n // of wave, until now
	lag := Lag{P50: .0011 * wave, P99: .0062 * wave, Max: .013 * wave, Commits: 40}
	if seconds%97 < 3 {
		lag.Max = .4
	}
	if seconds%150 > 140 { // nothing was written
		lag = Lag{P50: Unknown(), P99: Unknown(), Max: Unknown()}
	}
	r := Reading{At: at, Lag: lag, Counted: Counted{
		Hits: 6000*n + 1500*sum, Misses: 900*n - 200*sum, Joined: n * 30, NotCacheable: n * 65, SecondHits: n * 12, Evictions: n * .4,
		Refused: map[string]Figure{"snapshot_behind": n * 2.5, "not_paying": n * 14, "too_large": 3},
	}}
	r.Now = Overview{
		Version: "v1.0.0", Now: at, Uptime: n + 90000, Type: "ON", Clients: 182,
		State:  State{Ready: true, Word: "serving", Sentence: "Cached results are served, and have every change older than 1s."},
		Source: Source{Addr: "db-1.example:3306", Flavor: "mysql", Version: "9.7.0", Position: "14/81734512", Connected: true},
		Bound:  Bound{CompleteAge: .12, MaxStaleness: 1}, Memory: Memory{Bytes: 187 << 20, Budget: 256 << 20, Entries: 41873},
		Second: Second{Configured: true, Well: true, State: "answers in time"},
		Backends: []Backend{
			{Addr: "db-1.example:3306", Role: "source", Up: true, Sentence: "answers; has every change", Outstanding: 3, Connections: 18},
			{Addr: "db-2.example:3306", Role: "replica", Up: true, Sentence: "lags beyond max_lag; gets reads only if there is no other", Lag: 12.4, Outstanding: 1, Connections: 7},
			{Addr: "db-3.example:3306", Role: "replica", Up: false, Sentence: "does not answer", Lag: Unknown(), Connections: Unknown()},
		},
		DDL: []DDL{
			{Time: at.Add(-30 * time.Second), Kind: "alter_table", Text: "ALTER TABLE shop.items", Tables: []string{"shop.items"}, State: "running", Running: true},
			{Time: at.Add(-4 * time.Minute), End: new(at.Add(-200 * time.Second)), Kind: "create_index", Text: "CREATE INDEX shop.orders", Tables: []string{"shop.orders"}, Effect: "none", State: "done"},
			{Time: at.Add(-7 * time.Minute), End: new(at.Add(-7 * time.Minute)), Kind: "drop_table", Text: "DROP TABLE shop.carts", Tables: []string{"shop.carts"}, Effect: "gone", State: "done", Unservable: 1841},
		},
	}
	r.Lags = []Bucket{{.001, uint64(18 * n)}, {.0025, uint64(30 * n)}, {.005, uint64(36 * n)}, {.01, uint64(39 * n)}, {.025, uint64(40 * n)}, {Unknown(), uint64(40 * n)}}
	r.Now.Lag.Clock = "microseconds"
	if seconds%rankedEvery == 0 {
		r.Statements, r.Tables = busyCounts(n)
	}
	return r
}

const rankedEvery = 5

func busyCounts(n Figure) ([]StatementCounts, []TableCounts) {
	texts := []string{
		"SELECT `id` , NAME , `price` , `stock` FROM `items` WHERE `category` = ? AND `visible` = ? ORDER BY `rank` DESC LIMIT ?",
		"SELECT * FROM `users` WHERE `id` = ?",
		"SELECT `o` . `id` , `o` . `state` , SUM ( `i` . `price` * `i` . `amount` ) FROM `orders` `o` JOIN `order_items` `i` ON `i` . `order_id` = `o` . `id` WHERE `o` . `customer_id` = ? AND `o` . `created` >= ? GROUP BY `o` . `id` , `o` . `state` HAVING SUM ( `i` . `price` * `i` . `amount` ) > ? ORDER BY `o` . `created` DESC",
		"SELECT COUNT ( * ) FROM `sessions`", hostile,
	}
	var statements []StatementCounts
	for i, text := range texts {
		f := n * Figure(6-i)
		statements = append(statements, StatementCounts{Digest: fmt.Sprintf("%016x", i+10), Text: text, Calls: 700 * f, Hits: 640 * f / Figure(i+1), Cost: f, Saved: 9 * f, P99: .002 * Figure(i+1)})
	}
	return statements, []TableCounts{
		{Name: "shop.items", Reads: 5200 * n, Hits: 5010 * n, Changes: 4 * n},
		{Name: "shop.sessions", Reads: 300 * n, Hits: 2 * n, Changes: 950 * n, Advice: "changes end its results before they are used: none is stored by table for 8s more"},
		{Name: "shop.order_items", Reads: 120 * n, Hits: 90 * n, Changes: .3 * n},
	}
}

// started is a sampler with ten minutes behind it, which goes on when told to.
func started(now time.Time) (s *Sampler, second func()) {
	var at atomic.Int64
	s = NewSampler(func() Reading {
		i := int(at.Add(1))
		return busy(now.Add(time.Duration(i-600)*time.Second), i+1)
	})
	for range 601 {
		s.sample()
	}
	return s, s.sample
}

// TestPage looks at the page in a browser: it is live, says when it is not, asks nobody else for anything, and can be read by
// people who see little, at night, on a phone and on a large screen.
func TestPage(t *testing.T) {
	s, second := started(time.Now())
	mux := http.NewServeMux()
	s.Register(mux)
	srv := httptest.NewServer(mux)
	defer srv.Close()
	defer s.feed.close() // or the server waits for the listener
	browser := browsertest.Start(t)
	wide, narrow := browsertest.Look{Width: 1600, Height: 1000}, browsertest.Look{Width: 380, Height: 800}
	p := browser.Open(t, srv.URL, wide)
	p.Wait(`document.body.dataset.link === "live"`)

	before := p.Text("#statements-per-second")
	second()
	p.Wait(fmt.Sprintf("document.querySelector('#statements-per-second').innerText.trim() !== %q", before))
	for _, look := range []browsertest.Look{wide, narrow, {Width: 1600, Height: 1000, Dark: true}, {Width: 380, Height: 800, Dark: true}, {Width: 900, Height: 700}} {
		p.Look(look)
		second()
		p.Wait("document.querySelector('.chart > svg').viewBox.baseVal.width === document.querySelector('.chart > svg').clientWidth")
		if wrong := p.Audit(); len(wrong) > 0 {
			t.Errorf("%+v: %s", look, strings.Join(wrong, "\n"))
		}
		p.Picture(filepath.Join(t.ArtifactDir(), fmt.Sprintf("page-%d-dark-%v.png", look.Width, look.Dark)))
	}
	if !browsertest.Eval[bool](p, "(m => m.optimum < m.low && m.high < m.max)(document.querySelector('#bound-meter'))") {
		t.Error("the meter of the staleness bound is as green at max_staleness as far below it")
	}
	byKeyboard(t, p)
	browsertest.Eval[bool](p, "document.querySelector('#minutes').open = true")
	p.Wait("document.querySelectorAll('#minutes tbody tr').length >= 10")
	if text := p.Text("#statements"); !strings.Contains(text, "<img src=x") {
		t.Errorf("a text with markup is shown as %q", text)
	}
	if problems, strangers := p.Problems(), p.Strangers(srv.URL); len(problems)+len(strangers) > 0 {
		t.Errorf("problems %q, requests to others %q", problems, strangers)
	}
	lost(t, p, s, second)
}

// byKeyboard reads a chart without a pointer.
func byKeyboard(t *testing.T, p *browsertest.Page) {
	t.Helper()
	p.Press(".chart > svg", kb.ArrowLeft)
	p.Wait("document.querySelector('.tip').textContent.includes('median')")
	p.Picture(filepath.Join(t.ArtifactDir(), "cursor.png"))
	label := browsertest.Eval[string](p, "document.querySelector('.chart > svg').getAttribute('aria-label')")
	for _, want := range []string{"Commit to ledger", "median now", "most"} {
		if !strings.Contains(label, want) {
			t.Errorf("the chart is described as %q, without %s", label, want)
		}
	}
}

// lost ends all streams, as a Weir does that stops; the page says so, and finds back when there is one again.
func lost(t *testing.T, p *browsertest.Page, s *Sampler, second func()) {
	t.Helper()
	s.feed.close()
	p.Wait(`document.body.dataset.link === "lost"`)
	if text := p.Text("#link"); !strings.Contains(text, "The stream of events is lost. These figures are from ") {
		t.Errorf("the page says %q", text)
	}
	if wrong := p.Audit(); len(wrong) > 0 {
		t.Errorf("without a stream: %s", strings.Join(wrong, "\n"))
	}
	s.feed.mu.Lock()
	s.feed.closed = false
	s.feed.mu.Unlock()
	second()
	p.Wait(`document.body.dataset.link === "live"`)
	if !slices.ContainsFunc(p.Problems(), func(problem string) bool { return strings.Contains(problem, "503") }) {
		t.Log("the page found back before it was refused once") // either may be
	}
}
