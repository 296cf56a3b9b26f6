package wire

import "encoding/binary"

// first takes the first packet of a result.
func (s *Scanner) first(p []byte) (bool, error) {
	if len(p) == 0 {
		return false, malformed("response: its first packet is empty")
	}
	s.rows, s.columns, s.cursor, s.out = 0, 0, false, false
	switch p[0] {
	case HeaderOK:
		return s.ok(p)
	case HeaderErr:
		return s.fail()
	case HeaderLocalInfile:
		s.kind = KindLocalInfile
		return s.expect((*Scanner).simple)
	}
	return s.count(p)
}

// count takes the number of columns.
func (s *Scanner) count(p []byte) (bool, error) {
	n, err := DecodeColumnCount(p)
	if err != nil {
		return false, err
	}
	s.kind = KindResultSet
	s.columns, s.left = int(n), int(n)
	return s.expect((*Scanner).column)
}

// column takes one column definition of a result set.
func (s *Scanner) column(p []byte) (bool, error) {
	if IsError(p) {
		return s.fail()
	}
	if s.left--; s.left > 0 {
		return false, nil
	}
	return s.expect((*Scanner).columnsEnd)
}

// columnsEnd takes the EOF packet after the columns.
func (s *Scanner) columnsEnd(p []byte) (bool, error) {
	if IsError(p) {
		return s.fail()
	}
	if err := s.eof(p); err != nil {
		return false, err
	}
	s.out = s.shape == ShapeExecute && s.status.Has(StatusPSOutParams)
	if s.cursor = s.shape == ShapeExecute && s.status.Has(StatusCursorExists); s.cursor {
		return s.more()
	}
	return s.expect((*Scanner).row)
}

// row takes one row, or what ends the rows.
func (s *Scanner) row(p []byte) (bool, error) {
	switch {
	case len(p) == 0:
		return false, malformed("response: a row is empty")
	case IsError(p):
		return s.fail()
	case isEnd(p):
		return s.rowsEnd(p)
	}
	s.rows++
	return false, nil
}

// rowsEnd takes the EOF packet after the rows.
func (s *Scanner) rowsEnd(p []byte) (bool, error) {
	if err := s.eof(p); err != nil {
		return false, err
	}
	s.kind = KindResultSet
	if s.out { // an OK packet follows; MySQL's EOF packet does not say so, MariaDB's does
		s.status |= StatusMoreResults
	}
	return s.more()
}

// prepared takes the first packet of the response to COM_STMT_PREPARE.
func (s *Scanner) prepared(p []byte) (bool, error) {
	if IsError(p) {
		return s.fail()
	}
	m, err := DecodePrepared(p)
	if err != nil {
		return false, err
	}
	s.kind, s.warnings = KindPrepared, m.Warnings
	s.columns, s.then = int(m.Columns), int(m.Columns)
	return s.definitions(int(m.Params))
}

// definitions expects n definitions and an EOF packet, or, if there are none, what comes after them.
func (s *Scanner) definitions(n int) (bool, error) {
	if s.left = n; n > 0 {
		return s.expect((*Scanner).definition)
	}
	return s.definitionsDone()
}

// definition takes the definition of a parameter or a column of a prepared statement.
func (s *Scanner) definition(p []byte) (bool, error) {
	if IsError(p) {
		return s.fail()
	}
	if s.left--; s.left > 0 {
		return false, nil
	}
	return s.expect((*Scanner).definitionsEnd)
}

// definitionsEnd takes the EOF packet after definitions.
func (s *Scanner) definitionsEnd(p []byte) (bool, error) {
	if IsError(p) {
		return s.fail()
	}
	if err := s.eof(p); err != nil {
		return false, err
	}
	return s.definitionsDone()
}

// definitionsDone goes on from the parameters to the columns.
func (s *Scanner) definitionsDone() (bool, error) {
	n := s.then
	if s.then = 0; n > 0 {
		return s.definitions(n)
	}
	return s.end()
}

// fieldList takes one column definition of a response to COM_FIELD_LIST, or its end.
func (s *Scanner) fieldList(p []byte) (bool, error) {
	switch {
	case IsError(p):
		return s.fail()
	case isEnd(p):
		return s.rowsEnd(p)
	}
	s.columns++
	return false, nil
}

// simple takes the only packet of a response, or the one that follows a local file.
func (s *Scanner) simple(p []byte) (bool, error) {
	switch {
	case IsError(p):
		return s.fail()
	case isEnd(p):
		s.kind = KindOK
		if err := s.eof(p); err != nil {
			return false, err
		}
		return s.end()
	}
	return s.ok(p)
}

// text takes the only packet of a response that has no format.
func (s *Scanner) text(p []byte) (bool, error) {
	if IsError(p) {
		return s.fail()
	}
	s.kind = KindText
	return s.end()
}

// after takes what should not be there.
func (s *Scanner) after([]byte) (bool, error) {
	return false, malformed("response: a packet came after its end")
}

// ok takes an OK packet, without making an [OK] of it.
func (s *Scanner) ok(p []byte) (bool, error) {
	offset := 1
	for range 2 { // affected rows, last insert id
		_, n := LenencInt(p[min(offset, len(p)):])
		if n == 0 {
			return false, malformed("response: OK packet is cut short")
		}
		offset += n
	}
	if p[0] != HeaderOK || len(p) < offset+4 {
		return false, malformed("response: % x is no OK packet", p[:min(len(p), 16)])
	}
	s.kind = KindOK
	s.note(status(p[offset:]), binary.LittleEndian.Uint16(p[offset+2:]), offset)
	return s.more()
}

// eof takes the contents of an EOF packet.
func (s *Scanner) eof(p []byte) error {
	m, err := DecodeEOF(p)
	if err != nil {
		return err
	}
	s.note(m.Status, m.Warnings, eofStatus)
	return nil
}

func status(b []byte) Status { return Status(binary.LittleEndian.Uint16(b)) }

// fail takes an ERR packet: nothing comes after it, whatever was announced.
func (s *Scanner) fail() (bool, error) {
	s.kind = KindError
	return s.end()
}

// more ends a result, and the response if no other follows.
func (s *Scanner) more() (bool, error) {
	if s.mayHaveMore() && s.status.Has(StatusMoreResults) {
		s.results++
		return s.expect((*Scanner).first)
	}
	return s.end()
}

func (s *Scanner) mayHaveMore() bool { return s.shape == ShapeQuery || s.shape == ShapeExecute }

// end ends the response. No packet that ends one can be so large that it is continued.
func (s *Scanner) end() (bool, error) {
	if s.open {
		return false, malformed("response: its last packet has 16 MiB or more")
	}
	_, _ = s.expect((*Scanner).after)
	return true, nil
}

// expect gives the next packet to another step.
func (s *Scanner) expect(next step) (bool, error) {
	s.step = next
	return false, nil
}
