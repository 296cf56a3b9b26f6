package daemon

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/redis/go-redis/v9"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

var warmFigures = flag.Bool("warm-restart", false, "measure how long a killed Weir takes to be as good as before: more rows, and ten seconds at most")

// A Weir is killed under load, and started again. What it had in memory is gone, but not what is in Redis, and it finds its
// place in the stream: it has to be nearly as good as before, and not one answer may be stale.
func TestWarmRestartAfterKill(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		l := newWarmLoad(t, flavor)
		l.run()
	})
}

// warmLoad is readers of many rows, some of them much more often than others, and a writer.
type warmLoad struct {
	*fleet
	weir    *weirProcess
	rows    []clock // each row is a number that counts up
	updates atomic.Int64
	reads   atomic.Int64
	addr    atomic.Value // where the Weir listens: a string
}

const (
	warmRows    = 3000
	warmReaders = 6
	// warmWindow is how many reads a hit ratio is taken of.
	warmWindow = 600
	// warmShare is how much of the former hit ratio the Weir must come to.
	warmShare = 0.8
)

func newWarmLoad(t *testing.T, flavor sandbox.Flavor) *warmLoad {
	l := &warmLoad{fleet: newFleet(t, sandbox.Options{Flavor: flavor}), rows: make([]clock, warmRows)}
	d := l.direct("app", "")
	d.run("CREATE DATABASE shop")
	d.run("CREATE TABLE shop.item (id INT PRIMARY KEY, n INT NOT NULL, note VARCHAR(200)) ENGINE=InnoDB")
	for from := 0; from < warmRows; from += 500 {
		sql := "INSERT INTO shop.item VALUES "
		for id := range 500 {
			sql += fmt.Sprintf("(%d, 0, REPEAT('x', 100)),", from+id)
		}
		d.run(sql[:len(sql)-1])
	}
	for i := range l.rows {
		l.rows[i].at = []time.Time{time.Now()}
	}
	l.weir = startWeir(t, l.config(func(c *Config) { shareRedis(c, l.redis.Addr()) }))
	l.addr.Store(l.weir.addr)
	l.noted()
	return l
}

// noted waits until the Weir has left a place in the stream, and that it is interested in single rows. A Weir that is killed
// before leaves nothing that another one could go on from.
func (l *warmLoad) noted() {
	l.t.Helper()
	k, p := l.trickster(nil), l.connect(l.weir.addr, "app", "app-secret", "shop")
	l.eventually("the Weir has left its place and its interests", func() bool {
		p.run(item(0))
		return len(k.notes()) == 2
	})
	p.hangUp()
}

func (l *warmLoad) run() {
	stop := make(chan struct{})
	var writers, readers sync.WaitGroup
	end := sync.OnceFunc(func() { close(stop); writers.Wait(); readers.Wait() })
	defer end()
	d, random := l.direct("app", "shop"), rand.New(rand.NewPCG(1, 1))
	until(l.t, &writers, stop, func() error {
		<-time.After(10 * time.Millisecond)
		return l.write(d, random.IntN(warmRows))
	})
	for i := range warmReaders {
		r := &warmReader{warmLoad: l, zipf: rand.NewZipf(rand.New(rand.NewPCG(2, uint64(i))), 1.05, 300, warmRows-1)}
		until(l.t, &readers, stop, r.read)
	}
	client := redis.NewClient(&redis.Options{Addr: l.redis.Addr()})
	defer client.Close()
	before := l.steady()
	l.eventually("it is known in Redis which columns are of interest", func() bool {
		keys, err := client.Keys(l.t.Context(), "*:notes:"+noteInterests).Result()
		l.must(err)
		return len(keys) > 0
	})
	killed := time.Now()
	l.weir.kill()
	l.weir.start()
	l.addr.Store(l.weir.addr)
	l.eventually("the Weir serves from the cache again", func() bool { _, ok := l.weir.get("/readyz"); return ok })
	ready := time.Since(killed)
	windows, took := l.reaches(warmShare*before.ratio(), killed)
	shared := l.weir.metrics().sum(tier2Hits())
	l.t.Logf("hit ratio %.1f %% before; ready %s after the kill; %.0f %% of that ratio %s after the kill, in window %d of %d reads; %.0f hits in Redis; %d changes",
		100*before.ratio(), ready.Round(time.Millisecond), 100*warmShare, took.Round(time.Millisecond), windows, warmWindow, shared, l.updates.Load())
	l.t.Log(l.weir.metrics().lines("weir_redis_lookups_total"))
	if shared < warmWindow/6 { // nearly every first read of a row could be one
		l.t.Errorf("after the restart only %.0f answers came from Redis: %s", shared, l.weir.said)
	}
	if *warmFigures && took > 10*time.Second {
		l.t.Errorf("it took %s", took)
	}
	end()
	l.settle()
	l.weir.stop()
}

// tier2Hits is the metric that counts answers from Redis.
func tier2Hits() (name, label string) { return "weir_second_tier_hits_total", "" }

// window is what happened to a number of reads.
type window struct{ reads, hits float64 }

func (w window) ratio() float64 { return w.hits / max(w.reads, 1) }

// next waits for so many reads, and returns what became of them.
func (l *warmLoad) next() window {
	l.t.Helper()
	total := func() window {
		all := l.weir.metrics()
		return window{reads: all.sum("weir_statements_total", ""), hits: all.sum("weir_statements_total", `outcome="hit"`)}
	}
	at, before := l.reads.Load(), total()
	l.eventually("there have been many reads", func() bool { return l.reads.Load() >= at+warmWindow })
	after := total()
	return window{reads: after.reads - before.reads, hits: after.hits - before.hits}
}

// steady waits until the hit ratio does not rise any more.
func (l *warmLoad) steady() (last window) {
	l.t.Helper()
	for rising := 0; rising < 4; {
		w := l.next()
		if w.ratio() > last.ratio()+0.005 {
			rising = 0
		} else {
			rising++
		}
		if w.ratio() > last.ratio() {
			last = w
		}
	}
	return last
}

// reaches waits for the ratio, and says in which window it has come, and how long after the moment since.
func (l *warmLoad) reaches(ratio float64, since time.Time) (windows int, took time.Duration) {
	l.t.Helper()
	for windows = 1; windows < 200; windows++ {
		if w := l.next(); w.ratio() >= ratio {
			return windows, time.Since(since)
		}
	}
	l.t.Errorf("after %d reads the hit ratio is not %.2f again", windows*warmWindow, ratio)
	return windows, time.Since(since)
}

// write counts a row up. It is for one goroutine.
func (l *warmLoad) write(d *client, id int) error {
	k := &l.rows[id]
	if err := change(d, fmt.Sprintf("UPDATE item SET n = n + 1 WHERE id = %d", id)); err != nil {
		return err
	}
	l.updates.Add(1)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at = append(k.at, time.Now())
	return nil
}

// settle reads all rows twice when nothing changes any more, and each must be what was last written.
func (l *warmLoad) settle() {
	l.t.Helper()
	<-time.After(bound)
	p := l.connect(l.weir.addr, "app", "app-secret", "shop")
	for range 2 {
		for id := range l.rows {
			if got, want := p.ask(item(id)), fmt.Sprintf("n\n%d\n", len(l.rows[id].at)-1); got != answer(want) {
				l.t.Fatalf("at last, %s gives %q, want %q", item(id), got, want)
			}
		}
	}
}

func item(id int) string { return fmt.Sprintf("SELECT n FROM item WHERE id = %d", id) }

// warmReader is a client that connects again when its Weir has gone.
type warmReader struct {
	*warmLoad
	zipf *rand.Zipf
	db   *sql.DB
	at   string
}

// read asks for one row, and reports an answer that is too old.
func (r *warmReader) read() error {
	if err := r.connected(); err != nil {
		return err
	}
	id, n := int(r.zipf.Uint64())*7919%warmRows, 0
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	asked := time.Now()
	if err := r.db.QueryRowContext(ctx, item(id)).Scan(&n); err != nil {
		if r.addr.Load() == r.at { // it is being killed, or was
			<-time.After(20 * time.Millisecond)
		}
		return nil
	}
	r.reads.Add(1)
	if least, at := r.rows[id].least(asked); n < least {
		return fmt.Errorf("%s gave %d, but %d was committed %s before it was asked", item(id), n, least, asked.Sub(at))
	}
	return nil
}

func (r *warmReader) connected() error {
	addr := r.addr.Load().(string)
	if addr == r.at {
		return nil
	}
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd, c.DBName, c.Logger = "tcp", addr, "app", "app-secret", "shop", &mysql.NopLogger{}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return err
	}
	r.at, r.db = addr, sql.OpenDB(connector)
	r.db.SetMaxOpenConns(1)
	r.t.Cleanup(func() { r.db.Close() })
	return nil
}
