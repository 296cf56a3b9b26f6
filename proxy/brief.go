package proxy

import (
	"context"
	"fmt"
	"strconv"

	"weir/proxy/statement"
)

// A write, and a read such as SELECT SQL_CALC_FOUND_ROWS, leave on their connection what the next statement may ask for:
// ROW_COUNT(), FOUND_ROWS(), warnings. So the connection stays with the session. Once a read has run that does not ask,
// nobody can ask any more, and the connection goes back. Two things must hold:
//
//   - LAST_INSERT_ID() is for the session, for as long as it lives, and changes only with what the session writes. So
//     Weir asks for it before the connection goes back, and sets it on the next one on which a statement may ask or
//     change it. That is every statement but a read that is not Stateful.
//   - Nothing must get to another session. So the connection is reset before it goes back, which takes away whatever was
//     left on it, seen by Weir or not: see [conn.reset].
//
// A connection that is given back for nothing costs little; one that is given back too early gives a wrong answer. So
// what is not known to be Brief (see [statement.Statement]) keeps the connection for good.

// insertID is the session's LAST_INSERT_ID().
type insertID struct {
	value uint64 // if on is nil
	on    *conn  // the session's connection, on which it is right
}

// moves reports whether a statement asks for nothing that the one before it has left, and leaves what follows nothing of
// that to ask for.
func (s *session) moves(text []byte, st statement.Statement) bool {
	return st.Kind == statement.Read && st.Reason != statement.NotSelect && !st.Stateful && !asksBack(text, st)
}

// moveOn gives the session's connection back before a statement, if it was kept only for what that could have asked for.
// An error means that LAST_INSERT_ID() is lost, with the connection.
func (s *session) moveOn(ctx context.Context, text []byte, st statement.Statement) error {
	if s.pinned == nil || !s.moves(text, st) {
		return nil
	}
	return s.giveBack(ctx)
}

// giveBack does so after a hit, too: that is a read, and nobody can ask any more what there was before it.
func (s *session) giveBack(ctx context.Context) error {
	c := s.pinned
	switch {
	case s.unsafe: // with sql_auto_is_null a read may ask for the row that was written last
		return nil
	case c.inTransaction() || s.tx != nil || s.assigned != nil || s.pins != (pins{}) && s.pins != (pins{brief: true}):
		return nil
	case s.pins == (pins{}): // it was kept for warnings, or for an error
		s.pinned = nil
		c.pool.put(c)
		return nil
	}
	id, err := c.lastInsertID()
	if err != nil {
		s.drop(c)
		return fmt.Errorf("%w: %w", errStateLost, err)
	}
	s.insertID = insertID{value: id}
	s.pinned, s.pins = nil, pins{}
	c.pool.recycle(ctx, c)
	return nil
}

// partWith gives back a connection that nothing will be asked of any more, also in the middle of a transaction. Clients that
// come, write and go must not cost the server a login and a disconnect each. Where somebody has done what Weir does not
// follow there may be more than a reset takes away, such as a role.
func (s *session) partWith(c *conn) {
	if c.broken || s.pins.stateful || s.pins.prepared > 0 {
		c.quit()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	c.pool.recycle(ctx, c)
}

func (c *conn) lastInsertID() (uint64, error) {
	rows, err := c.query("SELECT LAST_INSERT_ID()")
	if err != nil {
		return 0, err
	}
	if len(rows) != 1 || len(rows[0]) != 1 {
		return 0, fmt.Errorf("%s does not say what LAST_INSERT_ID() is", c.backend.addr)
	}
	return strconv.ParseUint(rows[0][0], 10, 64)
}

// carryInsertID sees to it that LAST_INSERT_ID() is right on a connection before a statement that may ask for it.
func (s *session) carryInsertID(c *conn, st statement.Statement) error {
	if s.insertID.on == c || st.Kind == statement.Read && !st.Stateful {
		return nil
	}
	if s.insertID.on == nil && s.insertID.value != 0 {
		if err := c.exec("SET last_insert_id = " + strconv.FormatUint(s.insertID.value, 10)); err != nil {
			return err
		}
		s.pins.brief = true // it must be reset before another session has it
	}
	return nil
}

// followPins notes for how long a statement that leaves something needs its connection.
func (s *session) followPins(c *conn, text []byte, st statement.Statement, r *response) {
	was := s.pins.locked
	s.followLocks(text, st, r)
	switch {
	case was && !s.pins.locked:
		s.pins.brief = true
	case !was && s.pins.locked && st.Kind == statement.Write:
	case st.Brief:
		s.pins.brief = true
	case s.leavesState(st):
		s.pins.stateful = true
	}
	if s.pins.brief || s.pins.stateful || s.pins.locked {
		s.insertID.on = c
	}
}
