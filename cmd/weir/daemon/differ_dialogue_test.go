package daemon

import (
	"bytes"
	endian "encoding/binary" // there is a type named binary
	"fmt"
	"testing"
	"time"

	"weir/proxy/login"
	"weir/proxy/wire"
)

// dialogue is a connection that keeps the bytes of what it is answered: to Weir or to the server, with the same
// capabilities.
type dialogue struct {
	t    testing.TB
	name string
	*login.Backend
	scanner wire.Scanner
}

// dialogueFlags are everything that Weir offers, but for what changes how a text is read or a write is counted.
const dialogueFlags = login.Offered &^ (wire.ClientFoundRows | wire.ClientIgnoreSpace)

// dialogueWith logs in at addr as app.
func (w *world) dialogueWith(name, addr, schema string) *dialogue {
	w.t.Helper()
	b, err := login.Dial(w.t.Context(), login.ClientOptions{
		Addr: addr, User: "app", Password: "app-secret", Database: schema, Capabilities: dialogueFlags, Timeout: time.Minute,
	})
	w.must(err)
	w.t.Cleanup(func() { b.Conn.Close() })
	return &dialogue{t: w.t, name: name, Backend: b}
}

func (w *world) throughWeir(schema string) *dialogue {
	return w.dialogueWith("Weir", w.weir.Addr(), schema)
}

func (w *world) atServer(schema string) *dialogue {
	return w.dialogueWith("the server", w.source.Addr(), schema)
}

// reply is a whole response.
type reply struct {
	raw      []byte // all packets with their headers
	kind     wire.Kind
	warnings uint16
	status   wire.Status
	cursor   bool
}

// ofTheRun are the status flags that tell how a statement was carried out, and not what came out: Weir takes them away
// from what it stores.
const ofTheRun = wire.StatusNoGoodIndexUsed | wire.StatusNoIndexUsed | wire.StatusQueryWasSlow | wire.StatusDBDropped |
	wire.StatusMetadataChanged

// tell sends a command that has no response.
func (d *dialogue) tell(command wire.Command, args []byte) {
	d.t.Helper()
	b, _ := wire.AppendPacket(nil, 0, wire.Payload(append([]byte{byte(command)}, args...)))
	if _, err := d.Conn.Write(b); err != nil {
		d.t.Fatalf("%s: %s: %v", d.name, command, err)
	}
}

// ask sends a command and reads the response to its end. The flags ofTheRun are taken out.
func (d *dialogue) ask(command wire.Command, args []byte) reply {
	d.t.Helper()
	d.tell(command, args)
	return d.hear(command, args)
}

// hear reads the response to the oldest command that was told and not yet answered.
func (d *dialogue) hear(command wire.Command, args []byte) reply {
	d.t.Helper()
	shape, ok := wire.ResponseTo(command)
	if !ok {
		d.t.Fatalf("%s has no response that could be followed", command)
	}
	d.Conn.SetReadDeadline(time.Now().Add(time.Minute))
	d.Reader.Expect(1)
	d.scanner.Begin(shape)
	var raw []byte
	for done := false; !done; {
		packet, continuation, err := d.Reader.ReadRaw()
		if err == nil {
			raw = append(raw, packet...)
			done, err = d.scanner.Next(packet, continuation)
		}
		if err != nil {
			d.t.Fatalf("%s: %s %.300q: %v", d.name, command, args, err)
		}
	}
	return d.reply(raw)
}

func (d *dialogue) reply(raw []byte) reply {
	for _, at := range d.scanner.StatusOffsets() {
		flags := endian.LittleEndian.Uint16(raw[at:])
		endian.LittleEndian.PutUint16(raw[at:], flags&^uint16(ofTheRun))
	}
	return reply{raw: raw, kind: d.scanner.Kind(), warnings: d.scanner.Warnings(), status: d.scanner.Status(), cursor: d.scanner.Cursor()}
}

func (d *dialogue) query(sql string) reply {
	d.t.Helper()
	return d.ask(wire.ComQuery, []byte(sql))
}

// mustQuery runs a statement that is answered with OK or a result.
func (d *dialogue) mustQuery(sql string) reply {
	d.t.Helper()
	r := d.query(sql)
	if r.kind == wire.KindError {
		d.t.Fatalf("%s: %s: %s", d.name, sql, r)
	}
	return r
}

// prepare returns the response to COM_STMT_PREPARE with the statement's id taken out, and the id; 0 after an error.
func (d *dialogue) prepare(sql string) (reply, uint32) {
	d.t.Helper()
	r := d.ask(wire.ComStmtPrepare, []byte(sql))
	if r.kind != wire.KindPrepared {
		return r, 0
	}
	at := r.raw[wire.HeaderSize+1:]
	id := endian.LittleEndian.Uint32(at)
	endian.LittleEndian.PutUint32(at, 0)
	return r, id
}

func (d *dialogue) mustPrepare(sql string) uint32 {
	d.t.Helper()
	r, id := d.prepare(sql)
	if r.kind != wire.KindPrepared {
		d.t.Fatalf("%s: prepare %s: %s", d.name, sql, r)
	}
	return id
}

// execute runs a statement with parameters, and says their types.
func (d *dialogue) execute(id uint32, params ...param) reply {
	d.t.Helper()
	return d.ask(wire.ComStmtExecute, executeArgs(id, 0, params, true))
}

func (d *dialogue) closeStatement(id uint32) {
	d.t.Helper()
	if id != 0 {
		d.tell(wire.ComStmtClose, endian.LittleEndian.AppendUint32(nil, id))
	}
}

// String says what a person would want to see first.
func (r reply) String() string {
	if r.kind != wire.KindError {
		return fmt.Sprintf("%s, %d bytes, %d warnings", r.kind, len(r.raw), r.warnings)
	}
	e, err := wire.DecodeError(lastPacket(r.raw)[wire.HeaderSize:])
	if err != nil {
		return err.Error()
	}
	return e.Error()
}

// packets cuts a response.
func (r reply) packets() (all [][]byte) {
	for rest := r.raw; len(rest) > 0; {
		packet, after, err := wire.Split(rest)
		if err != nil {
			return append(all, rest)
		}
		all, rest = append(all, packet), after
	}
	return all
}

// rows are the payloads of the rows of a result set.
func (r reply) rows() (rows [][]byte) {
	all := r.packets()
	n, _ := wire.DecodeColumnCount(all[0][wire.HeaderSize:])
	if len(all) < int(n)+3 {
		return nil
	}
	for _, packet := range all[n+2 : len(all)-1] {
		rows = append(rows, packet[wire.HeaderSize:])
	}
	return rows
}

// cells are the rows of a result in the text protocol, one line each, for messages and for values that a test names.
func (r reply) cells() string {
	if r.kind != wire.KindResultSet {
		return r.String()
	}
	n, _ := wire.DecodeColumnCount(r.packets()[0][wire.HeaderSize:])
	var b bytes.Buffer
	for _, payload := range r.rows() {
		row, err := wire.DecodeRow(nil, payload, int(n))
		if err != nil {
			return err.Error()
		}
		for i, v := range row {
			if i > 0 {
				b.WriteByte('|')
			}
			if v == nil {
				b.WriteString("NULL")
			}
			b.Write(v)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func lastPacket(raw []byte) []byte {
	for {
		packet, rest, err := wire.Split(raw)
		if err != nil || len(rest) == 0 {
			return packet
		}
		raw = rest
	}
}

// difference says where two responses part; empty if they are equal.
func difference(want, got reply) string {
	if bytes.Equal(want.raw, got.raw) {
		return ""
	}
	a, b := want.packets(), got.packets()
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			at := parting(a[i], b[i])
			return fmt.Sprintf("packet %d of %d (%s), from byte %d\n  server: % x %.200q\n  Weir:   % x %.200q", i, len(a), want, at, around(a[i], at), a[i], around(b[i], at), b[i])
		}
	}
	return fmt.Sprintf("%d packets (%s), from Weir %d (%s)", len(a), want, len(b), got)
}

// parting is where two texts part.
func parting(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func around(b []byte, at int) []byte { return b[max(0, at-8):min(len(b), at+24)] }
