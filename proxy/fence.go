package proxy

// wrote notes that the session may have made a change visible. What it reads from now on has to contain that: see
// [session.fence]. Only its own connection can tell whether it is still in a transaction, where there are no hits to be
// had soon.
func (s *session) wrote(c *conn) {
	if s.server.cfg.Writes != ToSource {
		return
	}
	s.fence = s.server.cache.Ledger().Now()
	if !c.inTransaction() {
		s.server.hurry()
	}
}
