package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"

	"weir/cmd/weir/daemon"
)

// progressEvery is how often somebody who waits for Weir to get ready is told what it does.
const progressEvery = 3 * time.Second

// served is a Weir that is about to serve.
type served interface {
	Progress() daemon.Progress
	WaitReady(ctx context.Context) error
	Addr() string
	AdminURL() string
	Caching() string // query_cache_type
}

// announcer says what is being waited for, now and then, and once, when cached results may be served, where to go from
// there: to a person at a terminal, or else to the log.
type announcer struct {
	weir  served
	log   *slog.Logger
	out   io.Writer // a terminal; nil if there is none
	flags string    // with which the other commands find this Weir
	user  string    // an account that clients may use; empty if any of the servers' will do
}

// run returns when everything is said, or ctx has ended.
func (a *announcer) run(ctx context.Context) {
	waiting, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		_ = a.weir.WaitReady(waiting) // or it is not ready, and nothing is said
	}()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	var last daemon.Progress
	for {
		select {
		case <-tick.C:
			last = a.progress(last)
		case <-waiting.Done():
			if ctx.Err() == nil {
				a.ready()
			}
			return
		}
	}
}

// progress tells what is being waited for, and of the binlog how fast it is read since last.
func (a *announcer) progress(last daemon.Progress) daemon.Progress {
	p := a.weir.Progress()
	if p.What == "" {
		return p
	}
	text := p.What
	if p.Left > 0 {
		text += ", " + megabytes(p.Left) + " left"
		if last.Left > p.Left {
			rate := float64(last.Left-p.Left) / progressEvery.Seconds()
			text += fmt.Sprintf(" at %s/s, about %s", megabytes(uint64(rate)), time.Duration(float64(p.Left)/rate*float64(time.Second)).Round(time.Second))
		}
	}
	if a.out != nil {
		fmt.Fprintf(a.out, "weir: %s\n", text)
	} else {
		a.log.Info("not ready yet: clients are served, and nothing from the cache", "waiting_for", text)
	}
	return p
}

func megabytes(bytes uint64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

func (a *announcer) ready() {
	connect := "mysql " + whereFlags(a.weir.Addr()) + " -u " + cmp.Or(a.user, "USER") + " -p"
	if a.out == nil {
		a.logReady(a.log.With("connect", connect, "status", a.weir.AdminURL()+"/"))
		return
	}
	fmt.Fprintf(a.out, `
Weir is ready: %s.

  connect       %s
  status page   %s/
  watch         weir top%s
  ask           weir explain%s 'SELECT ...'
  look after    weir check%[5]s

`, a.served(), connect, a.weir.AdminURL(), a.flags, a.flags)
}

// What clients get, by query_cache_type.
const (
	whenOn      = "cached results are served"
	whenOff     = "clients are served, and nothing is cached (query_cache_type is OFF)"
	whenObserve = "clients are served, and nothing is cached (query_cache_type is OBSERVE): SELECT * FROM weir.observed tells what would be"
)

func (a *announcer) served() string {
	switch a.weir.Caching() {
	case "OFF":
		return whenOff
	case "OBSERVE":
		return whenObserve
	}
	return whenOn
}

// logReady has a message for each that programs can look for.
func (a *announcer) logReady(log *slog.Logger) {
	switch a.weir.Caching() {
	case "OFF":
		log.Info("ready: " + whenOff)
	case "OBSERVE":
		log.Info("ready: " + whenObserve)
	default:
		log.Info("ready: " + whenOn)
	}
}

// whereFlags are the flags with which the mysql client connects to an address.
func whereFlags(addr string) string {
	if strings.HasPrefix(addr, "/") {
		return "-S " + addr
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "-h " + addr
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "-h " + host + " -P " + port
}
