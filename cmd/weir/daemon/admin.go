package daemon

import (
	"errors"
	"fmt"
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
//	/api/v1/   what [ddlAPI] and [tablesAPI] tell
func (d *Daemon) serveAdmin() *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(d.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", d.readyz)
	mux.HandleFunc("GET /{$}", d.index)
	ddlAPI{
		timeline: d.ddl.Timeline(), inflight: func() any { return d.ddl.InFlight() }, gates: func() any { return d.ddl.Gates().State() },
		pool: func() any { return d.ddl.Pool().Report() },
	}.register(mux)
	tablesAPI{virtual.NewSet(d.tables())}.register(mux)
	return d.serve(mux)
}

// serve answers on the admin port, until what it returns is closed.
func (d *Daemon) serve(mux *http.ServeMux) *http.Server {
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := srv.Serve(d.admin); !errors.Is(err, http.ErrServerClosed) {
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

func (d *Daemon) readyz(w http.ResponseWriter, _ *http.Request) {
	if why := d.notReady(); why != "" {
		http.Error(w, why+"\nfollowing "+d.sourceAddr(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintf(w, "ok\nfollowing %s\n", d.sourceAddr())
}

func (d *Daemon) index(w http.ResponseWriter, _ *http.Request) {
	state := "cached results are served"
	if why := d.notReady(); why != "" {
		state = "cached results are not served: " + why
	}
	fmt.Fprintf(w, "Weir %s\n\n%s\nfollowing %s\n\n/metrics\n/healthz\n/readyz\n", Version(), state, d.sourceAddr())
}
