package top

import (
	"fmt"
	"math"
	"time"

	"weir/cmd/weir/status"
)

const unknown = "-"

// seconds writes a time in three digits or so.
func seconds(f status.Figure) string {
	if !f.Known() {
		return unknown
	}
	switch s := float64(f); {
	case s == 0:
		return "0 s"
	case s < 1e-3:
		return fmt.Sprintf("%.0f µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	case s < 100:
		return fmt.Sprintf("%.3g s", s)
	default:
		return time.Duration(s * float64(time.Second)).Round(time.Second).String()
	}
}

// uptime is in whole seconds, as one counts them.
func uptime(f status.Figure) string { return seconds(status.Figure(math.Floor(float64(f)))) }

func percent(f status.Figure) string {
	if !f.Known() {
		return unknown
	}
	return fmt.Sprintf("%.1f %%", 100*f)
}

func rate(f status.Figure) string {
	switch {
	case !f.Known():
		return unknown
	case f >= 100 || f == 0:
		return status.Grouped(int64(f + .5))
	}
	return fmt.Sprintf("%.1f", f)
}

func mebibytes(n int64) string {
	switch f := float64(n); {
	case f >= 1<<30:
		return fmt.Sprintf("%.2f GiB", f/(1<<30))
	case f >= 1<<20:
		return fmt.Sprintf("%.1f MiB", f/(1<<20))
	default:
		return fmt.Sprintf("%.0f KiB", f/(1<<10))
	}
}
