package relay

import (
	"encoding/binary"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// Kinds of records. An entry of the stream holds several, one after the other, each as its kind and what belongs to it.
const (
	kindTransaction = 't'
	kindProgress    = 'p'
	kindCheckpoint  = 'c'
	kindFile        = 'f'
	kindFollowed    = 'i'
	kindAnswered    = 'a'
)

// File is a file of the source's binlog, at the place in the stream where it was opened.
type File struct {
	Name string
	// Begun is when the server began it, in seconds, as its first event says.
	Begun uint32
}

// checkpoint says where a consumer may begin: what was published after it, and nothing else, has to be applied to a ledger
// that knows nothing before Seq.
type checkpoint struct {
	source identity.Identity
	file   File
	// settled says that no other file of that number can have been begun in the same second, see [cache.Places].
	settled bool
	// passed says that what was read as of the place can be relied on, see [replicator.History.Passed].
	passed bool
	seq    cache.Seq
	// done are all transactions up to there.
	done *gtid.Set
	// written is what the source is known to have, see [replicator.Journal.Written].
	written string
	// late are XA COMMITs of a moment ago, which the source may not show yet although they are before seq.
	late []lateCommit
}

type lateCommit struct {
	thread uint32
	seq    cache.Seq
}

// record is one thing that the relay says, in its place among the changes. One of its fields is set.
type record struct {
	kind        byte
	transaction *change.Transaction // also for progress
	checkpoint  *checkpoint
	file        File
	followed    dep.Interests
	since       cache.Seq
}

func appendProgress(b []byte, seq cache.Seq) []byte {
	return binary.AppendUvarint(append(b, kindProgress), uint64(seq))
}

func appendFile(b []byte, f File) []byte {
	return binary.AppendUvarint(appendString(append(b, kindFile), f.Name), uint64(f.Begun))
}

func appendFollowed(b []byte, all dep.Interests, since cache.Seq) []byte {
	b = binary.AppendUvarint(append(b, kindFollowed), uint64(since))
	return appendInterests(b, all)
}

func appendInterests(b []byte, all dep.Interests) []byte {
	b = binary.AppendUvarint(appendName(b, all.Table), uint64(len(all.Wants)))
	for _, w := range all.Wants {
		b = append(appendString(b, w.Column), byte(w.Interest))
	}
	return b
}

func appendCheckpoint(b []byte, c *checkpoint) []byte {
	b = appendString(append(b, kindCheckpoint), string(c.source.Flavor))
	b = appendString(b, c.source.ID)
	b = binary.AppendUvarint(appendString(b, c.file.Name), uint64(c.file.Begun))
	b = append(b, boolByte(c.settled)|boolByte(c.passed)<<1)
	b = binary.AppendUvarint(b, uint64(c.seq))
	b = appendString(appendString(b, c.done.String()), c.written)
	b = binary.AppendUvarint(b, uint64(len(c.late)))
	for _, l := range c.late {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(l.thread)), uint64(l.seq))
	}
	return b
}

func boolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func (r *reader) record() record {
	rec := record{kind: r.byte()}
	switch rec.kind {
	case kindTransaction:
		rec.transaction = r.transaction()
	case kindProgress:
		rec.transaction = &change.Transaction{Seq: cache.Seq(r.uvarint())}
	case kindCheckpoint:
		rec.checkpoint = r.checkpoint()
	case kindFile:
		rec.file = File{Name: r.string(), Begun: r.number()}
	case kindFollowed:
		rec.since = cache.Seq(r.uvarint())
		rec.followed = r.interests()
	case kindAnswered:
	default:
		r.fail()
	}
	return rec
}

func (r *reader) interests() dep.Interests {
	all := dep.Interests{Table: r.name()}
	for range r.count(2) {
		all.Wants = append(all.Wants, dep.Want{Column: r.string(), Interest: dep.Interest(r.byte())})
	}
	return all
}

func (r *reader) checkpoint() *checkpoint {
	c := &checkpoint{source: identity.Identity{Flavor: gtid.Flavor(r.string()), ID: r.string()}}
	c.file = File{Name: r.string(), Begun: r.number()}
	flags := r.byte()
	c.settled, c.passed = flags&1 != 0, flags&2 != 0
	c.seq = cache.Seq(r.uvarint())
	done, err := gtid.Parse(c.source.Flavor, r.string())
	if err != nil {
		r.fail()
	}
	c.done, c.written = done, r.string()
	for range r.count(2) {
		c.late = append(c.late, lateCommit{r.number(), cache.Seq(r.uvarint())})
	}
	return c
}
