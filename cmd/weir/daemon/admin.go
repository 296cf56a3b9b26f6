package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"weir/proxy/virtual"
)

// serveAdmin answers on the admin port:
//
//	/metrics   everything that is counted, for Prometheus
//	/healthz   200 while the process serves clients
//	/readyz    200 while cached results may be served; 503 with the reason otherwise: clients are served all the same
//	/          the status page
//	/api/v1/   what [weir/cmd/weir/status.Sampler], [ddlAPI] and [tablesAPI] tell
func (d *Daemon) serveAdmin() *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(d.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", d.readyz)
	d.overview.Register(mux)
	ddlAPI{
		timeline: d.ddl.Timeline(), inflight: func() any { return d.ddl.InFlight() }, gates: func() any { return d.ddl.Gates().State() },
		pool: func() any { return d.ddl.Pool().Report() },
	}.register(mux)
	tablesAPI{virtual.NewSet(d.tables())}.register(mux)
	return d.serve(mux, d.ready)
}

// serve answers on the admin port, until what it returns is closed. Health is what readiness is to who shows no password.
func (d *Daemon) serve(mux *http.ServeMux, health func() (word string, well bool)) *http.Server {
	d.warnPlain()
	srv := &http.Server{
		Handler: d.guard(mux, health), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelDebug), TLSConfig: d.adminTLS.config(),
	}
	go func() {
		if err := d.adminTLS.serve(srv, d.admin); !errors.Is(err, http.ErrServerClosed) {
			d.log.Error("the admin port does not answer any more", "error", err)
		}
	}()
	return srv
}

// mux is what a relay answers on its admin port.
func (r *Relay) mux() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(r.d.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	return mux
}

// ready is [Daemon.readyz] in a word.
func (d *Daemon) ready() (word string, well bool) {
	if d.notReady() != "" {
		return "not ready", false
	}
	return "ok", true
}

func (d *Daemon) readyz(w http.ResponseWriter, _ *http.Request) {
	if why := d.notReady(); why != "" {
		http.Error(w, why+"\nfollowing "+d.sourceAddr(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintf(w, "ok\nfollowing %s\n", d.sourceAddr())
}
