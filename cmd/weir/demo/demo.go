package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"weir/deployments/sandbox"
)

// Run shows Weir, and returns what it has found. The end of enough ends the load; the summary follows. The end of ctx
// ends everything. Whatever happens, no server and no file is left. An error is one sentence for the person at the
// terminal; answers that were wrong are one, too.
func Run(ctx, enough context.Context, o Options) (Summary, error) {
	d := &demo{Options: o, paint: palette(o.Color)}
	defer d.clean()
	if err := d.start(ctx, enough); err != nil {
		return Summary{}, err
	}
	s, err := d.show(ctx, enough)
	return s, causeOf(ctx, err)
}

// causeOf an error: what failed after ctx has ended, failed because of that.
func causeOf(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

type demo struct {
	Options
	paint   palette
	servers servers
	weir    *weir
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.Out, format+"\n", args...) }

// errInterrupted is not an error of Weir's, but there is no summary.
var errInterrupted = errors.New("interrupted before the load began")

// start makes everything that the load needs. Here it is enough at any moment.
func (d *demo) start(ctx, enough context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(enough, func() { cancel(errInterrupted) })()
	return causeOf(ctx, d.startAll(ctx))
}

func (d *demo) startAll(ctx context.Context) (err error) {
	d.say("Starting a source and a replica (%s) ...", d.Flavor)
	if err := d.servers.start(ctx, d.Options); err != nil {
		return err
	}
	d.say("Loading a shop: %v ...", d.Shop)
	if err := d.Shop.load(ctx, d.servers.source); err != nil {
		return err
	}
	if err := d.catchUp(ctx); err != nil {
		return err
	}
	if d.weir, err = startWeir(ctx, d.Options, d.servers); err != nil {
		return err
	}
	d.introduce()
	return nil
}

// catchUpTimeout is how long the replica may take for what the source has.
const catchUpTimeout = 2 * time.Minute

func (d *demo) catchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, catchUpTimeout, fmt.Errorf("it has not after %v", catchUpTimeout))
	defer cancel()
	if err := d.servers.replica.CatchUp(ctx); err != nil {
		return fmt.Errorf("wait until the replica has all that the source has: %w", err)
	}
	return nil
}

// introduce says how to look at it by hand.
func (d *demo) introduce() {
	program := map[sandbox.Flavor]string{sandbox.MySQL: "mysql", sandbox.MariaDB: "mariadb"}[d.Flavor]
	host, port, _ := net.SplitHostPort(d.weir.Addr())
	login := fmt.Sprintf("-u %s -p%s %s", shopUser, shopPassword, schema)
	d.say("")
	d.say("Read through Weir:       %s -h %s -P %s %s", program, host, port, login)
	d.say("Change it on the source: %s -h %s -P %d %s", program, host, d.servers.source.Port, login)
	d.say("How Weir is:             %s/", d.weir.AdminURL())
	d.say("")
}

func (d *demo) clean() {
	if d.weir != nil {
		_ = d.weir.stop() // after an error, which is the one that counts
	}
	d.servers.stop()
}

// show runs the load with Weir and without it.
func (d *demo) show(ctx, enough context.Context) (Summary, error) {
	s := Summary{Server: string(d.Flavor) + " " + d.servers.source.Version}
	if err := d.withWeir(ctx, enough, &s); err != nil {
		return s, err
	}
	w := d.weir
	d.weir = nil
	if err := w.stop(); err != nil {
		return s, err
	}
	if enough.Err() != nil {
		enough = context.Background() // that was about the load with Weir
	}
	if err := d.withoutWeir(ctx, enough, &s); err != nil {
		return s, err
	}
	fmt.Fprint(d.Out, "\n"+s.text(d.paint))
	return s, s.Err()
}

func (d *demo) withWeir(ctx, enough context.Context, s *Summary) error {
	d.say("%d readers through Weir, %d writers on the source with %.0f commits per second%s.",
		d.Readers, d.Writers, d.Commits, map[bool]string{true: "; Ctrl-C ends it"}[d.Duration == 0])
	until, cancel := lasting(enough, d.Duration)
	defer cancel()
	l := newLoad(d.Options, d.servers.source.Addr(), d.weir.Addr())
	a, err := d.newAudience(l)
	if err != nil {
		return err
	}
	defer a.close()
	s.With, err = d.measure(ctx, l, func(ctx context.Context) error { return a.run(ctx, until.Done()) })
	if err != nil {
		return err
	}
	if s.Hits, err = a.hits(); err != nil {
		return err
	}
	d.say("The load has ended. Comparing what is popular with the source once more.")
	if err := d.settle(ctx); err != nil {
		return err
	}
	if err := a.auditor.final(ctx, popular(d.Shop, finalRanks)); err != nil {
		return err
	}
	a.tell(s)
	return nil
}

// finalRanks is how many of each kind are compared in the end.
const finalRanks = 100

// settle returns when nothing that was committed may be missing in an answer any more.
func (d *demo) settle(ctx context.Context) error {
	if err := d.catchUp(ctx); err != nil {
		return err
	}
	wait(ctx, nil, d.weir.maxStaleness)
	return context.Cause(ctx)
}

func (d *demo) withoutWeir(ctx, enough context.Context, s *Summary) (err error) {
	d.say("The same for %s without Weir: readers on the source and the replica.", seconds(d.baseline()))
	until, cancel := lasting(enough, d.baseline())
	defer cancel()
	l := newLoad(d.Options, d.servers.source.Addr(), d.servers.replica.Addr(), d.servers.source.Addr())
	s.Without, err = d.measure(ctx, l, func(ctx context.Context) error { return l.run(ctx, until.Done()) })
	return err
}

// measure runs what contains the load, and says what became of that.
func (d *demo) measure(ctx context.Context, l *load, run func(context.Context) error) (Phase, error) {
	before, err := d.servers.selects(ctx)
	if err != nil {
		return Phase{}, err
	}
	start := time.Now()
	if err := run(ctx); err != nil {
		return Phase{}, err
	}
	p := l.phase(time.Since(start))
	after, err := d.servers.selects(ctx)
	p.Selects = after - before
	return p, err
}

// lasting returns a context that ends with enough, and after the duration if there is one.
func lasting(enough context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(enough)
	}
	return context.WithTimeout(enough, d)
}
