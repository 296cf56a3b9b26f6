package proxy

import (
	"weir/cache"
	"weir/cache/dep"
)

// accountChanges tells when accounts were changed last. It is asked for each hit of a session whose account Weir does not
// know, so the ledger keeps the two tags: one that it forgets would look like a change, which takes hits from all such
// sessions, and their connections.
type accountChanges struct {
	ledger               *cache.Ledger
	everything, accounts cache.Kept
}

func newAccountChanges(l *cache.Ledger) accountChanges {
	return accountChanges{l, l.Keep(dep.Everything()), l.Keep(dep.Accounts().Tag())}
}

// last returns the last change; the Seq is zero if there was none in this epoch. A statement about accounts touches both
// tags: what is not understood, which touches one of them, is no reason to give up all connections.
func (c accountChanges) last() cache.Mark {
	epoch, floor := c.ledger.Epoch(), c.ledger.Floor()
	last := min(c.everything.Last(), c.accounts.Last())
	if last <= floor {
		last = 0
	}
	return cache.Mark{Epoch: epoch, Seq: last}
}

func (s *Server) accounts() cache.Mark { return s.changes.last() }
