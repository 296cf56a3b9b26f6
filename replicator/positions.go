package replicator

import (
	"context"
	"fmt"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

// Positions tells where in the change stream a position of GTIDs stands, such as a client got with its write. It is the
// other way round from what samplers ask of the journal. It is safe for concurrent use.
type Positions struct {
	journal *Journal
	ledger  *cache.Ledger
	source  func() identity.Identity
}

// NewPositions returns a translator; source tells which server the ledger follows.
func NewPositions(journal *Journal, ledger *cache.Ledger, source func() identity.Identity) *Positions {
	return &Positions{journal: journal, ledger: ledger, source: source}
}

// Reached waits until every transaction of the position is recorded in the ledger, and returns a mark: a snapshot that
// contains every change up to it contains them all. The position is in the source's form: uuid:1-5 with tags and commas
// on MySQL, domain-server-number on MariaDB, where it means that number and all before it in the domain.
//
// It returns ctx's cause if ctx ends before. Any other error says what is wrong with the position, at once: that it
// cannot be read, or that it names a server of which the source has no transaction.
func (p *Positions) Reached(ctx context.Context, position string) (cache.Mark, error) {
	set, err := p.parse(position)
	if err != nil {
		return cache.Mark{}, err
	}
	for {
		// The head comes first: a transaction is in the journal before it moves the head.
		head := p.ledger.Head()
		at, ok := p.journal.Recorded(set)
		at.Seq = max(at.Seq, p.ledger.Floor())
		if ok && p.ledger.Head() >= at.Seq {
			return at, nil
		}
		if err := p.ledger.WaitHead(ctx, head+1); err != nil {
			return cache.Mark{}, err
		}
	}
}

func (p *Positions) parse(position string) (*gtid.Set, error) {
	source := p.source()
	if source.Flavor == "" {
		return nil, fmt.Errorf("%q cannot be read: Weir has not reached the source yet", position)
	}
	set, err := gtid.Parse(source.Flavor, position)
	if err != nil {
		return nil, err
	}
	if uuid, foreign := p.journal.foreign(set, source); foreign {
		return nil, fmt.Errorf("the source has no transaction of server %s", uuid)
	}
	return set, nil
}

// foreign: the source's own UUID counts as known before its first transaction.
func (j *Journal) foreign(set *gtid.Set, source identity.Identity) (uuid string, foreign bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.all == nil {
		return "", false
	}
	uuid, foreign = set.ForeignTo(j.all)
	if foreign && source.Flavor == gtid.MySQL {
		known := j.all.Clone()
		if own, err := gtid.Parse(gtid.MySQL, source.ID+":1"); err == nil {
			known.Union(own)
		}
		return set.ForeignTo(known)
	}
	return uuid, foreign
}

// Recorded reports whether every transaction of the set was recorded, or had been before the journal began, and after
// which Seq a snapshot contains them: the last one's, or the place before the oldest transaction that is remembered.
func (j *Journal) Recorded(set *gtid.Set) (cache.Mark, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.all == nil || !j.all.Covers(set) {
		return cache.Mark{}, false
	}
	at := cache.Mark{Epoch: j.epoch}
	for i := len(j.entries) - 1; i >= 0; i-- {
		if set.Contains(j.entries[i].gtid) {
			at.Seq = j.entries[i].seq
			return at, true
		}
	}
	if len(j.entries) > 0 {
		at.Seq = j.entries[0].seq - 1
	}
	return at, true
}
