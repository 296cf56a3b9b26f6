package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"weir/proxy/wire"
)

// scan gives the response to a Scanner and returns it, and what is left after the response's end.
func scan(t *testing.T, shape wire.Shape, response []byte) (*wire.Scanner, []byte) {
	t.Helper()
	var s wire.Scanner
	rest, err := scanInto(&s, shape, response)
	if err != nil {
		t.Fatal(err)
	}
	return &s, rest
}

var errNoEnd = errors.New("the response does not end")

func scanInto(s *wire.Scanner, shape wire.Shape, rest []byte) ([]byte, error) {
	s.Begin(shape)
	continuation := false
	for len(rest) > 0 {
		raw, after, err := wire.Split(rest)
		if err != nil {
			return rest, err
		}
		done, err := s.Next(raw, continuation)
		if done || err != nil {
			return after, err
		}
		rest, continuation = after, len(raw) == wire.HeaderSize+wire.MaxPayload
	}
	return nil, errNoEnd
}

func TestScanner(t *testing.T) {
	for _, tc := range captures {
		t.Run(tc.name, func(t *testing.T) {
			response := unhex(t, tc.response)
			s, rest := scan(t, tc.shape, response)
			if len(rest) != 0 || s.Size() != len(response) {
				t.Errorf("ended after %d of %d bytes", s.Size(), len(response))
			}
			got := tc
			got.kind, got.results, got.columns, got.rows = s.Kind(), s.Results(), s.Columns(), s.Rows()
			got.status, got.warnings, got.offsets = s.Status(), s.Warnings(), s.StatusOffsets()
			if got.kind != tc.kind || got.results != tc.results || got.columns != tc.columns || got.rows != tc.rows ||
				got.status != tc.status || got.warnings != tc.warnings || !slices.Equal(got.offsets, tc.offsets) {
				t.Errorf("scanned as %+v, want %+v", got, tc)
			}
		})
	}
}

// TestPitfall36StatusOffsets: with the offsets, a copy takes the flags of the session that it is served to.
func TestPitfall36StatusOffsets(t *testing.T) {
	result := wire.Result{
		Columns: []wire.Column{{Name: "a"}, {Name: "b"}},
		Rows:    []wire.Row{{[]byte("1"), nil}},
		Status:  wire.StatusAutocommit,
	}
	response, _ := result.AppendPackets(nil, 1)
	s, _ := scan(t, wire.ShapeQuery, response)
	result.Status = wire.StatusInTrans
	for _, at := range s.StatusOffsets() {
		binary.LittleEndian.PutUint16(response[at:], uint16(result.Status))
	}
	if want, _ := result.AppendPackets(nil, 1); !bytes.Equal(response, want) {
		t.Errorf("patched response\n% x, want\n% x", response, want)
	}
}

// TestPitfall35CursorOnlyInExecute: the flag in a text result is not about this result.
func TestPitfall35CursorOnlyInExecute(t *testing.T) {
	head := packets(1, wire.ColumnCount(1), wire.Column{}, wire.EOF{Status: wire.StatusCursorExists})
	if s, _ := scan(t, wire.ShapeExecute, head); !s.Cursor() {
		t.Error("no cursor after COM_STMT_EXECUTE")
	}
	whole := append(head, packets(4, wire.Row{[]byte("1")}, wire.EOF{})...)
	if s, rest := scan(t, wire.ShapeQuery, whole); s.Cursor() || s.Rows() != 1 || len(rest) > 0 {
		t.Errorf("cursor %t, %d rows after COM_QUERY, want none and 1", s.Cursor(), s.Rows())
	}
}

// TestPitfall38HugeRow: a row whose first value has 16 MiB or more starts like an EOF packet; the last physical packet
// of a row may look like one altogether.
func TestPitfall38HugeRow(t *testing.T) {
	eof := wire.EOF{Status: wire.StatusAutocommit}
	head := packets(1, wire.ColumnCount(1), wire.Column{}, eof)
	huge := bytes.Repeat([]byte("x"), wire.MaxPayload+1)
	tail := bytes.Repeat([]byte("x"), wire.MaxPayload-9)
	tail = append(tail, eof.Append(nil)...)
	exact := bytes.Repeat([]byte("x"), wire.MaxPayload-4)
	tests := []struct {
		name string
		row  wire.Message
		want int // physical packets of the row
	}{
		{"value of 16 MiB", wire.Row{huge}, 2},
		{"ends with the bytes of an EOF packet", wire.Row{tail}, 2},
		{"fills its packet", wire.Row{exact}, 2},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			row, seq := wire.AppendPacket(nil, 4, tc.row)
			if int(seq-4) != tc.want {
				t.Fatalf("row takes %d packets, want %d", seq-4, tc.want)
			}
			response := slices.Concat(head, row, packets(seq, eof))
			s, rest := scan(t, wire.ShapeQuery, response)
			if s.Rows() != 1 || s.Size() != len(response) || len(rest) > 0 {
				t.Errorf("%d rows in %d of %d bytes, want 1 in all", s.Rows(), s.Size(), len(response))
			}
		})
	}
}

// TestRowOrEOF: below nine bytes a packet that starts with 0xFE is no row, and only five bytes are an EOF packet.
func TestRowOrEOF(t *testing.T) {
	head := packets(1, wire.ColumnCount(1), wire.Column{}, wire.EOF{})
	for n := 1; n <= 10; n++ {
		last := make(wire.Payload, n)
		last[0] = 0xFE
		var s wire.Scanner
		_, err := scanInto(&s, wire.ShapeQuery, append(head[:len(head):len(head)], packets(4, last)...))
		switch {
		case n == 5 && err == nil: // the end
		case n >= 9 && errors.Is(err, errNoEnd) && s.Rows() == 1: // a row
		case n < 9 && n != 5 && errors.Is(err, wire.ErrMalformed):
		default:
			t.Errorf("packet of %d bytes: %d rows, error %v", n, s.Rows(), err)
		}
	}
}

func TestScannerRefuses(t *testing.T) {
	head := packets(1, wire.ColumnCount(1), wire.Column{}, wire.EOF{})
	tests := []struct {
		name     string
		shape    wire.Shape
		response []byte
	}{
		{"no response is due", wire.ShapeNone, packets(1, wire.OK{})},
		{"empty packet", wire.ShapeQuery, packets(1, wire.Payload{})},
		{"EOF packet in place of a result", wire.ShapeQuery, packets(1, wire.EOF{})},
		{"OK packet without flags", wire.ShapeQuery, packets(1, wire.Payload{0, 0, 0, 2, 0})},
		{"OK packet without numbers", wire.ShapeSimple, packets(1, wire.Payload{0})},
		{"something else than OK", wire.ShapeSimple, packets(1, wire.Payload{1, 0, 0, 2, 0, 0, 0})},
		{"row in place of the EOF packet after columns", wire.ShapeQuery,
			packets(1, wire.ColumnCount(1), wire.Column{}, wire.Row{[]byte("1")})},
		{"empty row", wire.ShapeQuery, append(head, packets(4, wire.Payload{})...)},
		{"OK packet in the format without EOF packets", wire.ShapeExecute,
			append(head, packets(4, wire.Payload{0xFE, 0, 0, 2, 0, 0, 0})...)},
		{"prepared statement of another length", wire.ShapePrepare, packets(1, wire.OK{})},
		{"EOF packet of another length", wire.ShapeSimple, packets(1, wire.Payload{0xFE, 0, 0})},
		{"ERR packet that is continued", wire.ShapeSimple,
			packets(1, &wire.Error{Message: string(make([]byte, wire.MaxPayload))})},
		{"EOF packet before the last definition", wire.ShapePrepare,
			packets(1, wire.Prepared{Params: 1}, wire.EOF{}, wire.Column{})},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var s wire.Scanner
			if _, err := scanInto(&s, tc.shape, tc.response); !errors.Is(err, wire.ErrMalformed) {
				t.Errorf("error %v, want a malformed packet", err)
			}
		})
	}
}

// TestScannerCallers: mistakes of the caller are errors, too.
func TestScannerCallers(t *testing.T) {
	ok := packets(1, wire.OK{})
	var s wire.Scanner
	s.Begin(wire.ShapeSimple)
	if _, err := s.Next(ok[:len(ok)-1], false); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("part of a packet: error %v", err)
	}
	if _, err := s.Next(ok, true); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("continuation of nothing: error %v", err)
	}
	if done, err := s.Next(ok, false); !done || err != nil {
		t.Fatalf("done %t, error %v", done, err)
	}
	if _, err := s.Next(ok, false); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("packet after the end: error %v", err)
	}
}

// TestErrorEndsEverywhere replaces each packet of each capture by an ERR packet.
func TestErrorEndsEverywhere(t *testing.T) {
	for _, tc := range captures {
		whole := unhex(t, tc.response)
		for at := 0; at < len(whole); {
			raw, _, err := wire.Split(whole[at:])
			if err != nil {
				t.Fatal(err)
			}
			broken := append(whole[:at:at], packets(raw[3], wire.Errorf(wire.CodeQueryInterrupted, "killed"))...)
			if s, rest := scan(t, tc.shape, broken); s.Kind() != wire.KindError || len(rest) > 0 {
				t.Errorf("%s, error at %d: kind %v, %d bytes left", tc.name, at, s.Kind(), len(rest))
			}
			at += len(raw)
		}
	}
}

func TestResponseTo(t *testing.T) {
	tests := []struct {
		command wire.Command
		shape   wire.Shape
		ok      bool
	}{
		{wire.ComQuery, wire.ShapeQuery, true}, {wire.ComProcessInfo, wire.ShapeQuery, true},
		{wire.ComStmtExecute, wire.ShapeExecute, true}, {wire.ComStmtPrepare, wire.ShapePrepare, true},
		{wire.ComStmtFetch, wire.ShapeFetch, true}, {wire.ComFieldList, wire.ShapeFieldList, true},
		{wire.ComStatistics, wire.ShapeText, true}, {wire.ComPing, wire.ShapeSimple, true},
		{wire.ComQuit, wire.ShapeNone, true}, {wire.ComStmtClose, wire.ShapeNone, true},
		{wire.ComChangeUser, wire.ShapeNone, false}, {wire.ComBinlogDump, wire.ShapeNone, false},
		{wire.Command(0x70), wire.ShapeNone, false},
	}
	for _, tc := range tests {
		if shape, ok := wire.ResponseTo(tc.command); shape != tc.shape || ok != tc.ok {
			t.Errorf("%v: shape %d, %t, want %d, %t", tc.command, shape, ok, tc.shape, tc.ok)
		}
	}
}

func TestKindString(t *testing.T) {
	if got := wire.KindResultSet.String() + ", " + wire.Kind(99).String(); got != "result set, kind 99" {
		t.Errorf("names are %q", got)
	}
}
