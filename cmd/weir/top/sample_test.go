package top

import (
	"math"
	"time"

	"weir/cmd/weir/status"
)

// sample is a Weir under load, with everything that a screen can show.
func sample() status.Overview {
	at := time.Date(2026, 12, 1, 12, 30, 5, 0, time.Local)
	return status.Overview{
		Version: "v1.2.3", Now: at, Uptime: 93784, Type: "ON", Clients: 1204,
		State:  status.State{Ready: true, Word: "serving", Sentence: "Cached results are served."},
		Source: status.Source{Addr: "10.0.0.1:3306", Flavor: "mysql", Version: "9.7.4", Position: "binlog.000007:1048576", Connected: true},
		Rates:  status.Rates{Second: status.Rate{Statements: 12345.6, Hits: 11200, Misses: 900.5, Joined: 12.5, NotCacheable: 232, HitRatio: .925}},
		Lag:    status.Lags{Minute: status.Lag{P50: .0011, P99: .0042, Max: .0312, Commits: 900}},
		Bound:  status.Bound{CompleteAge: .12, MaxStaleness: 1},
		Memory: status.Memory{Bytes: 130 << 20, Budget: 256 << 20, Entries: 81234, Evictions: 0},
		Second: status.Second{Configured: true, State: "all servers are asked", Well: true, Hits: 12.5},
		Backends: []status.Backend{
			{Addr: "10.0.0.1:3306", Role: "source", Up: true, Sentence: "gets reads", Lag: 0, Outstanding: 3},
			{Addr: "10.0.0.2:3306", Role: "replica", Sentence: "refuses connections", Lag: status.Unknown()},
		},
		Statements: []status.Statement{
			{Text: "SELECT `name` FROM `items` WHERE `id` = ?", Calls: 9000, Hits: 8900, HitRatio: .99, P99: .0004},
			{Text: "SELECT COUNT(*) FROM `orders` WHERE `customer` = ? AND `placed` BETWEEN ? AND ? AND `state` IN (...)", Calls: 120.25, Hits: 20, HitRatio: .166, P99: 1.25},
			{Text: "SELECT \x1b[2J\x1b]0;owned\x07\u202e `x`\nFROM `t`", Calls: .5, Hits: 0, HitRatio: 0, P99: status.Unknown()},
		},
		Tables: []status.Table{
			{Name: "shop.items", Reads: 9100, Hits: 8900, Changes: 12},
			{Name: "shop.stock", Reads: 90, Hits: 0, Changes: 2500, Advice: "seldom used before a change"},
		},
		DDL: []status.DDL{
			{Time: at.Add(-time.Minute), Kind: "alter_table", Text: "ALTER TABLE shop.orders", State: "running", Running: true},
			{Time: at.Add(-time.Hour), Kind: "create_index", Text: "CREATE INDEX ON shop.items", State: "done", Effect: "shape", Unservable: 1200},
		},
		History: waves(),
	}
}

// waves are a hundred seconds, in the middle of which nobody looked.
func waves() (h status.History) {
	for i := range 100 {
		x := status.Figure(math.Sin(float64(i)/8)/2 + .5)
		if i >= 60 && i < 66 {
			x = status.Unknown()
		}
		h.Times = append(h.Times, int64(i))
		h.QPS, h.HitRatio = append(h.QPS, 1000*x), append(h.HitRatio, .5+x/2)
		h.LagP50, h.LagP99, h.LagMax = append(h.LagP50, x/1000), append(h.LagP99, x/100), append(h.LagMax, x/10)
		h.Bound = append(h.Bound, .1)
	}
	return h
}
