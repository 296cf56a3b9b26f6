package daemon

import (
	"weir/cache"
	explaining "weir/proxy/explain"
)

// remembered tells EXPLAIN CACHE of the transaction that ended at seq, if it is among the last.
func (d *Daemon) remembered(seq cache.Seq) (explaining.Change, bool) {
	known, ok := d.recent.At(seq)
	if !ok {
		return explaining.Change{}, false
	}
	c := explaining.Change{
		Place: explaining.Place{Position: known.Position}, GTID: known.GTID, Everything: known.Everything,
		Committed: known.Committed, Recorded: known.Recorded,
	}
	for _, t := range known.Tables {
		c.Tables = append(c.Tables, explaining.TableChange{Name: t.Name.String(), Kind: t.Kind, Rows: t.Rows})
	}
	return c, true
}
