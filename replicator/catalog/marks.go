package catalog

import (
	"maps"
	"strings"

	"weir/cache"
	"weir/cache/dep"
)

// maxMarks bounds the names that are marked one by one. With more, their schemas are marked instead.
const maxMarks = 512

// marks are the names that changed and are not yet read again. Each bears the number of the change that marked it
// last: a load settles those whose number is not above that of the last change before it began. Numbers, not Seqs,
// since changes past 4 GiB of a binlog file share one Seq.
//
// A marks value does not change; with and without return others.
type marks struct {
	last uint64    // number of the last change
	seq  cache.Seq // of the last change

	names   map[dep.Name]uint64
	indexes map[dep.Name]uint64 // of tables whose columns stay as they are
	schemas map[string]uint64
	all     uint64 // 0 is no mark
	keys    uint64 // foreign keys
}

// alteration is what one change marks.
type alteration struct {
	seq     cache.Seq
	names   []dep.Name
	indexes []dep.Name
	schemas []string
	all     bool
	keys    bool
	moves   bool // the names; keys is set too if that concerns foreign keys
}

// with adds the marks of a change.
func (m marks) with(a alteration) marks {
	m.last++
	m.seq = a.seq
	m.names, m.indexes, m.schemas = clone(m.names), clone(m.indexes), clone(m.schemas)
	for _, n := range a.names {
		m.names[n] = m.last
	}
	for _, n := range a.indexes {
		m.indexes[n] = m.last
	}
	for _, s := range a.schemas {
		m.schemas[strings.ToLower(s)] = m.last
	}
	if a.all {
		m.all = m.last
	}
	if a.keys {
		m.keys = m.last
	}
	return m.bounded()
}

// without drops the marks up to a number.
func (m marks) without(number uint64) marks {
	settled := func(n uint64) bool { return n <= number }
	m.names, m.indexes, m.schemas = clone(m.names), clone(m.indexes), clone(m.schemas)
	maps.DeleteFunc(m.names, func(_ dep.Name, n uint64) bool { return settled(n) })
	maps.DeleteFunc(m.indexes, func(_ dep.Name, n uint64) bool { return settled(n) })
	maps.DeleteFunc(m.schemas, func(_ string, n uint64) bool { return settled(n) })
	if settled(m.all) {
		m.all = 0
	}
	if settled(m.keys) {
		m.keys = 0
	}
	return m
}

// bounded keeps the marks cheap to copy. It owns the maps. To mark a table as a whole is
// safe where its indexes have changed.
func (m marks) bounded() marks {
	if len(m.indexes) > maxMarks {
		for n, number := range m.indexes {
			m.names[n] = max(m.names[n], number)
		}
		m.indexes = nil
	}
	if len(m.names) > maxMarks {
		for n, number := range m.names {
			m.schemas[n.Schema] = max(m.schemas[n.Schema], number)
		}
		m.names = nil
	}
	if len(m.schemas) > maxMarks {
		for _, number := range m.schemas {
			m.all = max(m.all, number)
		}
		m.schemas = nil
	}
	return m
}

// has reports that the name is marked.
func (m marks) has(n dep.Name) bool {
	return m.all > 0 || m.names[n] > 0 || m.schemas[n.Schema] > 0
}

// reindexed reports that the indexes of the table are not known, and the rest is, unless [marks.has] says otherwise.
func (m marks) reindexed(n dep.Name) bool { return m.indexes[n] > 0 }

func (m marks) empty() bool {
	return m.all == 0 && m.keys == 0 && len(m.names) == 0 && len(m.indexes) == 0 && len(m.schemas) == 0
}

func clone[K comparable](m map[K]uint64) map[K]uint64 {
	if m == nil {
		return map[K]uint64{}
	}
	return maps.Clone(m)
}

// count is how many marks there are on names and schemas; one on everything counts as one.
func (m marks) count() int {
	n := len(m.names) + len(m.indexes) + len(m.schemas)
	if m.all > 0 {
		n++
	}
	return n
}
