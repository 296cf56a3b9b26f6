package inflight

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"weir/cache/dep"
	"weir/ddlwatch/target"
)

// Reader says what a statement is. Schema is the default database it runs in, empty if none. Kind is "unknown" for a
// text that it does not understand; tables are those that it changes; ddl says that it is one to watch: ALTER, CREATE,
// DROP, RENAME or TRUNCATE of tables and indexes, OPTIMIZE, REPAIR. Statements about accounts are not, and their texts
// are not kept. It is called by several goroutines at once. A text may have been cut: then its reading is that of the
// longest beginning that Reader understands.
type Reader func(schema, sql string) (kind string, tables []dep.Name, ddl bool)

// Watch knows the DDL that is under way on each server.
type Watch struct {
	// OnChange, if not nil, is called when a DDL came or went, began or ceased to wait or to be waited for, or waits for
	// another; with all there are, sorted as by [Watch.Now]. It is called from one goroutine at a time and in order, must
	// not block, and must not change the slice, which it may keep. Set it before Run.
	OnChange func(all []DDL)
	// Ours, if not nil, says whether a connection to the server with that address belongs to this process. It must not
	// block. Set it before Run.
	Ours func(server string, id uint64) bool

	servers []*server
	metrics *metrics

	mu      sync.Mutex
	all     []DDL
	news    chan struct{} // closed and replaced when a server has been looked at
	telling sync.Mutex    // keeps calls of OnChange in order
}

// New returns a watch of the servers. It starts nothing. A nil registerer counts for nobody.
func New(servers []*target.Server, cfg Config, read Reader, log *slog.Logger, reg prometheus.Registerer) *Watch {
	w := &Watch{metrics: newMetrics(reg), news: make(chan struct{})}
	for _, t := range servers {
		w.servers = append(w.servers, newServer(t, w, cfg.withDefaults(), read, log))
		w.metrics.begin(t.Addr)
	}
	return w
}

// Run watches until ctx ends. A server that does not answer is asked again; nothing ends the watch of the others.
func (w *Watch) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, s := range w.servers {
		all.Go(func() { s.run(ctx) })
	}
	all.Wait()
}

// Look has all servers looked at soon, but no server more often than Config.Look says. It does not wait, and may be
// called from anywhere and often.
func (w *Watch) Look() {
	for _, s := range w.servers {
		s.hurry()
	}
}

// Looked is a moment of which this holds: of each server that answers, Now shows what it said when asked at that
// moment or later. A server that cannot be reached, or lets the account see nothing, does not hold it back, once that
// is known; before the first answers it is the zero time.
func (w *Watch) Looked() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.looked()
}

func (w *Watch) looked() time.Time {
	oldest := time.Now()
	for _, s := range w.servers {
		if !s.view.silent && s.view.asked.Before(oldest) {
			oldest = s.view.asked
		}
	}
	return oldest
}

// Await looks, and returns when [Watch.Now] shows what all servers that answer have said since the call, or when ctx
// ends, with its error.
func (w *Watch) Await(ctx context.Context) error {
	called := time.Now()
	w.Look()
	for {
		looked, news := w.state()
		if !looked.Before(called) {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *Watch) state() (looked time.Time, news <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.looked(), w.news
}

// Now is all DDL under way, sorted by server and beginning. The caller must not change it.
func (w *Watch) Now() []DDL {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all
}

// publish takes what a look at s has shown, and tells of it.
func (w *Watch) publish(s *server, v view) {
	w.telling.Lock()
	defer w.telling.Unlock()
	if all, changed := w.take(s, v); changed && w.OnChange != nil {
		w.OnChange(all)
	}
	w.metrics.set(s.target.Addr, v)
}

func (w *Watch) take(s *server, v view) (all []DDL, changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.view = v
	for _, each := range w.servers {
		all = append(all, each.view.ddls...)
	}
	slices.SortFunc(all, order)
	changed = !alike(all, w.all)
	w.all = all
	close(w.news)
	w.news = make(chan struct{})
	return all, changed
}
