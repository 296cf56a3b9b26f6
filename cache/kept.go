package cache

// Kept says exactly when one tag was touched last. It is for a few tags that somebody asks for all the time without having
// an entry, and for whom a change that never was would be dear: the history, which forgets, would tell of one each time that
// it forgets.
type Kept struct{ cell *cell }

// Keep has the ledger remember t for as long as there is a ledger. What was touched before is known as the history knows it;
// who wants it to be exact from the beginning calls Keep before the ledger is written to. It may be called from anywhere,
// and once for each tag and caller, since it cannot be taken back.
func (l *Ledger) Keep(t Tag) Kept { return Kept{l.cells.keep(t, &l.history)} }

// Last returns the Seq of the last change that touched the tag in this epoch, or zero. It costs one atomic load. Like
// [Ledger.Last] it does not say of which epoch it is; who must know asks for the epoch before and after.
func (k Kept) Last() Seq { return Seq(k.cell.last.Load()) }

// keep takes the tag's cell and never gives it back.
func (cs *cells) keep(t Tag, h *history) *cell {
	s := cs.of(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[Tag]int32{}
	}
	s.kept[t]++
	return cs.taken(s, t, h)
}
