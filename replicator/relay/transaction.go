package relay

import (
	"encoding/binary"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
	"weir/replicator/gtid"
)

// Flags of a transaction, in the order of flagsOf: what it has. What it has not takes no bytes.
const (
	hasGTID = 1 << iota
	hasMoment
	isCoarse
	hasNames
	hasTags
	hasEverything
	hasThread
	hasStatements
)

// maxStatement is the longest text that is passed on. Of a longer one nobody downstream knows what it does, which counts
// as everything, the definitions of all tables included.
const maxStatement = 16 << 20

// tooLong stands for it: no server would accept it, so that it is taken for a text that is not understood.
const tooLong = "(a statement that is too long to be passed on)"

func flagsOf(t *change.Transaction) (flags byte) {
	for i, has := range [...]bool{
		!t.GTID.IsZero(), !t.CommittedAt.IsZero(), t.Coarse, hasAnyNames(t),
		len(t.Tags) > 0, t.Everything != "", t.XAThread != 0, len(t.Statements) > 0,
	} {
		if has {
			flags |= 1 << i
		}
	}
	return flags
}

func hasAnyNames(t *change.Transaction) bool {
	return len(t.Tables)+len(t.Rows)+len(t.Parents)+len(t.Definitions)+len(t.Layouts)+len(t.Schemas) > 0
}

// appendTransaction encodes everything that a [change.Transaction] has, but its Deeds.
func appendTransaction(b []byte, t *change.Transaction) []byte {
	flags := flagsOf(t)
	b = binary.AppendUvarint(append(b, flags), uint64(t.Seq))
	if flags&hasGTID != 0 {
		b = appendGTID(b, t.GTID)
	}
	if flags&hasMoment != 0 {
		b = binary.AppendVarint(b, t.CommittedAt.UnixMicro())
	}
	if flags&hasNames != 0 {
		b = appendNames(b, t)
	}
	if flags&hasTags != 0 {
		b = appendTags(b, t.Tags)
	}
	if flags&hasEverything != 0 {
		b = appendString(b, t.Everything)
	}
	if flags&hasThread != 0 {
		b = binary.AppendUvarint(b, uint64(t.XAThread))
	}
	if flags&hasStatements != 0 {
		b = appendStatements(b, t.Statements)
	}
	return b
}

func appendTags(b []byte, tags []cache.Tag) []byte {
	b = binary.AppendUvarint(b, uint64(len(tags)))
	for _, tag := range tags {
		b = binary.LittleEndian.AppendUint64(b, uint64(tag))
	}
	return b
}

func appendNames(b []byte, t *change.Transaction) []byte {
	for _, names := range [...][]dep.Name{t.Tables, t.Rows, t.Parents, t.Definitions, t.Layouts} {
		b = binary.AppendUvarint(b, uint64(len(names)))
		for _, n := range names {
			b = appendName(b, n)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(t.Schemas)))
	for _, s := range t.Schemas {
		b = appendString(b, s)
	}
	return b
}

func appendName(b []byte, n dep.Name) []byte { return appendString(appendString(b, n.Schema), n.Table) }

func appendStatements(b []byte, all []change.Statement) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, s := range all {
		if len(s.SQL) > maxStatement {
			s = change.Statement{Schema: s.Schema, SQL: tooLong}
		}
		b = append(appendString(appendString(b, s.Schema), s.SQL), byte(s.Phase))
	}
	return b
}

func appendGTID(b []byte, g gtid.GTID) []byte {
	if g.Flavor == gtid.MariaDB {
		b = append(b, 'a')
		b = binary.AppendUvarint(b, uint64(g.Domain))
		b = binary.AppendUvarint(b, uint64(g.Server))
		return binary.AppendUvarint(b, g.Number)
	}
	b = append(append(b, 'y'), g.UUID[:]...)
	return binary.AppendUvarint(appendString(b, g.Tag), g.Number)
}

func (r *reader) transaction() *change.Transaction {
	flags := r.byte()
	t := &change.Transaction{Seq: cache.Seq(r.uvarint()), Coarse: flags&isCoarse != 0}
	if flags&hasGTID != 0 {
		t.GTID = r.gtid()
	}
	if flags&hasMoment != 0 {
		t.CommittedAt = time.UnixMicro(r.varint())
	}
	if flags&hasNames != 0 {
		r.names(t)
	}
	if flags&hasTags != 0 {
		t.Tags = r.tags()
	}
	if flags&hasEverything != 0 {
		t.Everything = r.string()
	}
	if flags&hasThread != 0 {
		t.XAThread = r.number()
	}
	if flags&hasStatements != 0 {
		t.Statements = r.statements()
	}
	return t
}

func (r *reader) tags() []cache.Tag {
	tags := make([]cache.Tag, r.count(8))
	for i := range tags {
		tags[i] = cache.Tag(r.fixed64())
	}
	return tags
}

func (r *reader) names(t *change.Transaction) {
	for _, names := range [...]*[]dep.Name{&t.Tables, &t.Rows, &t.Parents, &t.Definitions, &t.Layouts} {
		for range r.count(2) {
			*names = append(*names, r.name())
		}
	}
	for range r.count(1) {
		t.Schemas = append(t.Schemas, r.string())
	}
}

func (r *reader) name() dep.Name { return dep.Name{Schema: r.string(), Table: r.string()} }

func (r *reader) statements() (all []change.Statement) {
	for range r.count(3) {
		s := change.Statement{Schema: r.string(), SQL: r.string(), Phase: change.Phase(r.byte())}
		if s.Phase > change.RolledBack {
			r.fail()
		}
		all = append(all, s)
	}
	return all
}

func (r *reader) gtid() gtid.GTID {
	switch r.byte() {
	case 'a':
		return gtid.OfMariaDB(r.number(), r.number(), r.uvarint())
	case 'y':
		uuid := [16]byte{}
		copy(uuid[:], r.bytes(len(uuid)))
		return gtid.OfMySQL(uuid, r.string(), int64(r.uvarint()))
	}
	r.fail()
	return gtid.GTID{}
}
