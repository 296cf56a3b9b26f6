package inflight

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"weir/cache/dep"
	"weir/ddlwatch/target"
)

// server is the loop that looks at one server. All but hurried and view belongs to its goroutine.
type server struct {
	target *target.Server
	watch  *Watch
	cfg    Config
	read   Reader
	log    *slog.Logger

	hurried chan struct{}
	view    view // guarded by Watch.mu

	tables   tables        // nil: to be found out
	until    time.Time     // when to find out again
	began    map[key]begun // the DDL of the last look
	shadows  []shadow      // of the last look for them
	shadowAt time.Time     // when to look for them again
	lastView view          // what was published last
	trouble  string        // why the last look failed, empty if it did not
	said     map[string]bool
}

// view is what one look at a server shows.
type view struct {
	ddls    []DDL
	waiters int
	asked   time.Time // when the look began whose answer this is
	silent  bool      // the last look got no answer; the rest is from the one before
}

// tables are where a kind of server keeps what runs and what is locked.
type tables interface {
	// processes are the statements that run, but for those that certainly are no DDL and wait for no table's metadata
	// lock. Their number is bounded, those that wait being left out first.
	processes(ctx context.Context) ([]process, error)
	// locks are those on tables that somebody waits for, as far as the server tells. Waiting says that a DDL does.
	locks(ctx context.Context, waiting bool) ([]lock, error)
}

func newServer(t *target.Server, w *Watch, cfg Config, read Reader, log *slog.Logger) *server {
	return &server{
		target: t, watch: w, cfg: cfg, read: read, log: log.With("server", t.Addr),
		hurried: make(chan struct{}, 1), began: map[key]begun{}, said: map[string]bool{},
	}
}

func (s *server) hurry() {
	select {
	case s.hurried <- struct{}{}:
	default: // one is pending
	}
}

func (s *server) run(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		v, err := s.look(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.tables = nil
		}
		s.note(ctx, err)
		s.show(v, began, err)
		s.pause(ctx, began, err)
	}
}

// show publishes what a look has shown. Without an answer that is what the one before it has shown, for a while.
func (s *server) show(v view, began time.Time, err error) {
	switch {
	case err == nil:
		v.asked = began
	case began.Sub(s.lastView.asked) < remembered:
		v = s.lastView
		v.silent = true
	default:
		v = view{asked: s.lastView.asked, silent: true}
	}
	s.lastView = v
	s.watch.publish(s, v)
}

// pause waits until the next look is due. Nobody can hurry a look that is not expected to be answered.
func (s *server) pause(ctx context.Context, began time.Time, err error) {
	hurried := s.hurried
	if err != nil {
		hurried = nil
	}
	select {
	case <-ctx.Done():
		return
	case <-time.After(time.Until(began.Add(s.next(err)))):
		return
	case <-hurried:
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(began.Add(s.cfg.Look))):
	}
}

// next is how long after the beginning of a look the next one comes by itself.
func (s *server) next(err error) time.Duration {
	switch {
	case errors.Is(err, errBlind):
		return settled
	case err == nil && (s.lastView.waiters > 0 || len(s.began) > 0):
		return s.cfg.Busy
	}
	return s.cfg.Idle
}

// look asks the server once.
func (s *server) look(ctx context.Context) (view, error) {
	if err := s.settle(ctx); err != nil {
		return view{}, err
	}
	running, err := s.tables.processes(ctx)
	if err != nil {
		return view{}, err
	}
	ddls, waits := s.sort(running, time.Now())
	s.findShadows(ctx, len(ddls) > 0)
	locks, err := s.locks(ctx, ddls, waits)
	if err != nil {
		return view{}, err
	}
	ddls = append(ddls, s.tools()...)
	s.judge(ddls, waits, locks)
	for i := range ddls {
		s.attribute(&ddls[i])
	}
	return view{ddls: ddls, waiters: len(waits)}, nil
}

// locks asks for them if anybody may have any that matter.
func (s *server) locks(ctx context.Context, ddls []DDL, waits []process) ([]lock, error) {
	if len(ddls) == 0 && len(waits) == 0 {
		return nil, nil
	}
	return s.tables.locks(ctx, anyWaits(ddls))
}

func anyWaits(ddls []DDL) bool {
	for _, d := range ddls {
		if d.Waiting {
			return true
		}
	}
	return false
}

// judge says of each DDL who waits for it, and for whom it waits.
func (s *server) judge(ddls []DDL, waits []process, locks []lock) {
	now := time.Now()
	for i := range ddls {
		d := &ddls[i]
		d.learn(locks)
		d.Blocker = d.blocker(locks, now)
		if d.Blocker != nil && s.watch.Ours != nil {
			d.Blocker.Weir = s.watch.Ours(d.Server, d.Blocker.ID)
		}
	}
	countWaiters(ddls, waits, locks)
}

// key is what a DDL is known by from one look to the next.
type key struct {
	id  uint64
	sql string
}

// begun is when a DDL began, and the reading of its text.
type begun struct {
	at     time.Time
	kind   string
	tables []dep.Name
}
