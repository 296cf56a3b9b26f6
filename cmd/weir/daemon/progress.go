package daemon

import "fmt"

// Progress is what is being waited for before cached results may be served.
type Progress struct {
	// What says it in a clause; empty if nothing is waited for.
	What string
	// Left is how many bytes of the binlog are still to be read, if that is what is waited for; else 0.
	Left uint64
}

// Progress returns what is being waited for now. It may be called from anywhere.
func (d *Daemon) Progress() Progress {
	why := d.notReady()
	if why == "" {
		return Progress{}
	}
	if d.reader != nil {
		if left := d.reader.Behind(); left > 0 {
			return Progress{What: "reading what has changed since the results in Redis were stored", Left: left}
		}
	}
	p, reading := d.catalog.Progress()
	switch {
	case !reading:
		return Progress{What: why}
	case p.Of > 0:
		return Progress{What: fmt.Sprintf("reading the source's schema: columns and keys of %d tables, %d of them done", p.Of, p.Done)}
	}
	return Progress{What: "reading the source's schema: " + p.Step}
}
