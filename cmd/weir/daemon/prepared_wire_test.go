package daemon

import (
	"bytes"
	endian "encoding/binary" // there is a type named binary
	"fmt"
	"slices"
	"strings"
	"testing"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
	"weir/proxy/wire"
)

// wireWorld is a small schema, the server that has it, and a Weir, for clients that speak the protocol by hand.
func wireWorld(t *testing.T, flavor sandbox.Flavor) (w *world, server, weir *dialogue) {
	t.Helper()
	w = newSource(t, sandbox.Options{Flavor: flavor})
	server = w.atServer("")
	for _, sql := range []string{
		"CREATE DATABASE differ CHARACTER SET utf8mb4", "USE differ",
		"CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(40), d DATETIME(6), n BIGINT UNSIGNED)",
		"INSERT INTO t VALUES (1, 'one', '2024-02-29 01:02:03.5', 18446744073709551615), (2, 'größe', NULL, 0), (3, NULL, '1000-01-01', 5), (4, '5', NULL, 7), (5, '', '9999-12-31', NULL)",
		"CREATE TABLE big (id INT PRIMARY KEY, body LONGTEXT)",
		"INSERT INTO big VALUES (1, REPEAT('a', 700000)), (2, REPEAT('b', 700000)), (3, 'c'), (4, REPEAT('d', 300000))",
		"CREATE VIEW w AS SELECT id, v FROM t",
	} {
		server.mustQuery(sql)
	}
	w.start(unhurried)
	w.complete()
	return w, server, w.throughWeir("differ")
}

// expectHit compares what an execution answers with the server's bytes, twice, and checks that the second is a hit, or is
// none.
func (w *world) expectHit(t *testing.T, what string, want reply, hit bool, ask func() reply) {
	t.Helper()
	for _, when := range []string{"the first time", "the second time"} {
		before := w.counter("weir_statements_total", "outcome", "hit")
		got := ask()
		if diff := difference(want, got); diff != "" {
			t.Errorf("%s, %s: %s", what, when, diff)
		}
		isHit := w.counter("weir_statements_total", "outcome", "hit") > before
		if when == "the second time" && isHit != hit {
			t.Errorf("%s, %s: hit %v, want %v", what, when, isHit, hit)
		}
	}
}

// wireValues are parameters that have their bytes, or what they say, in common with others.
var wireValues = []param{
	tinyParam(-56), utinyParam(200), tinyParam(5), shortParam(5), longParam(5), longlongParam(5), ulonglongParam(5),
	longlongParam(-1), ulonglongParam(1<<64 - 1), {kind: wire.TypeLong, unsigned: true, value: []byte{0xff, 0xff, 0xff, 0xff}}, longParam(-1),
	{kind: wire.TypeShort, unsigned: true, value: []byte{0xff, 0xff}}, shortParam(-1), {kind: wire.TypeInt24, value: []byte{5, 0, 0, 0}},
	{kind: wire.TypeYear, value: []byte{0xe8, 0x07}}, floatParam(5), doubleParam(5), textParam(wire.TypeNewDecimal, "5.00"), textParam(wire.TypeNewDecimal, "5"),
	varcharParam("5"), textParam(wire.TypeString, "5"), textParam(wire.TypeVarchar, "5"), textParam(wire.TypeBlob, "5"), textParam(wire.TypeLongBlob, "5"),
	textParam(wire.TypeTinyBlob, "5"), varcharParam(""), varcharParam("größe"), textParam(wire.TypeBlob, "\xff\x00\xfe"), varcharParam(strings.Repeat("x", 300)),
	momentParam(wire.TypeDatetime), momentParam(wire.TypeDatetime, 2024, 2, 29), momentParam(wire.TypeDatetime, 2024, 2, 29, 0, 0, 0),
	momentParam(wire.TypeDatetime, 2024, 2, 29, 1, 2, 3), momentParam(wire.TypeDatetime, 2024, 2, 29, 1, 2, 3, 500000), momentParam(wire.TypeDatetime, 2024, 2, 29, 1, 2, 3, 0),
	momentParam(wire.TypeDate), momentParam(wire.TypeDate, 2024, 2, 29), momentParam(wire.TypeTimestamp, 2024, 2, 29, 1, 2, 3), momentParam(wire.TypeTimestamp, 2024, 2, 29, 1, 2, 3, 1),
	durationParam(), durationParam(0, 0, 1, 2, 3), durationParam(1, 34, 22, 59, 59), durationParam(0, 0, 1, 2, 3, 4000), durationParam(0, 0, 1, 2, 3, 0),
	nullParam(wire.TypeNull), nullParam(wire.TypeLongLong), nullParam(wire.TypeVarString), nullParam(wire.TypeDatetime), {kind: wire.TypeLong, unsigned: true},
}

// '5', 5 and unsigned 5 are three parameters, and so is everything else that differs in type, sign or length; the answer
// in text is another thing yet. None is ever answered with what another one has filled.
func TestPitfall34ValuesOnTheWire(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, server, weir := wireWorld(t, flavor)
		const sql = "SELECT ?, HEX(?), v, n FROM t WHERE id = 1"
		id := weir.mustPrepare(sql)
		for _, p := range wireValues {
			want := server.oneOff(sql, p, p)[1]
			w.expectHit(t, fmt.Sprintf("parameter %v", p), want, p.kind != wire.TypeTime && exchange{replies: []reply{want}}.able(), func() reply { return weir.execute(id, p, p) })
		}
		for _, sql := range []string{"SELECT id, v FROM t WHERE id = 5", "SELECT id, v FROM t WHERE id = '5'"} {
			w.expectHit(t, "in text", server.query(sql), true, func() reply { return weir.query(sql) })
			w.expectHit(t, "in binary", server.oneOff(sql)[1], true, func() reply { return weir.oneOff(sql)[1] })
		}
		nullBitmaps(t, w, server, weir)
	})
}

// nullBitmaps sends NULL in each place of many, so that the bitmap has several bytes.
func nullBitmaps(t *testing.T, w *world, server, weir *dialogue) {
	const places = 19
	sql := "SELECT id, CONCAT_WS(','" + strings.Repeat(", COALESCE(?, 'NULL')", places) + ") FROM t ORDER BY id"
	id := weir.mustPrepare(sql)
	for null := -1; null <= places; null++ {
		params := make([]param, places)
		for i := range params {
			params[i] = longParam(int32(i))
			if i == null || null == places {
				params[i] = nullParam(wire.TypeLong)
			}
		}
		w.expectHit(t, fmt.Sprintf("NULL in place %d of %d", null, places), server.oneOff(sql, params...)[1], true, func() reply { return weir.execute(id, params...) })
	}
}

// A client says the types of its parameters once and then leaves them out, also after COM_STMT_RESET. One that has never
// said any is told so.
func TestPitfall34TypesAreRemembered(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, server, weir := wireWorld(t, flavor)
		const sql = "SELECT id, ?, HEX(?) FROM t WHERE id < 3 ORDER BY id"
		id := weir.mustPrepare(sql)
		unbound := func(params ...param) func() reply {
			return func() reply { return weir.ask(wire.ComStmtExecute, executeArgs(id, 0, params, false)) }
		}
		if got := unbound(longParam(1), longParam(1))(); !strings.Contains(got.String(), "1210") {
			t.Errorf("without types: %s", got)
		}
		for _, types := range [][2]param{
			{ulonglongParam(1 << 63), varcharParam("x")}, {longlongParam(-1), textParam(wire.TypeBlob, "x")}, {utinyParam(255), varcharParam("")}, {tinyParam(-1), nullParam(wire.TypeLong)},
		} {
			if diff := difference(server.oneOff(sql, types[0], types[1])[1], weir.execute(id, types[0], types[1])); diff != "" {
				t.Errorf("%v: %s", types, diff)
			}
			for _, p := range [][2]param{types, {nullParam(types[0].kind), types[1]}, {types[0], nullParam(types[1].kind)}} {
				p[0].unsigned = types[0].unsigned
				w.expectHit(t, fmt.Sprint("remembered ", p), server.oneOff(sql, p[0], p[1])[1], true, unbound(p[0], p[1]))
			}
			if r := weir.ask(wire.ComStmtReset, statementID(id)); r.kind != wire.KindOK {
				t.Errorf("COM_STMT_RESET: %s", r)
			}
			w.expectHit(t, "after COM_STMT_RESET", server.oneOff(sql, types[0], types[1])[1], true, unbound(types[0], types[1]))
		}
	})
}

func statementID(id uint32) []byte { return endian.LittleEndian.AppendUint32(nil, id) }

// sendLong sends a piece of a parameter ahead.
func (d *dialogue) sendLong(id uint32, place uint16, piece string) {
	d.t.Helper()
	d.tell(wire.ComStmtSendLongData, append(endian.LittleEndian.AppendUint16(statementID(id), place), piece...))
}

// Values come in pieces that split a character, for one execution: the next one has its own again, and COM_STMT_RESET
// forgets them.
func TestPitfall39LongData(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, server, weir := wireWorld(t, flavor)
		const sql = "SELECT id, ?, CHAR_LENGTH(?), CRC32(?) FROM t WHERE id <= 2 ORDER BY id"
		at, through := server.mustPrepare(sql), weir.mustPrepare(sql)
		for _, c := range []struct {
			name    string
			kind    wire.Type
			pieces  []string
			cached  bool
			repeats int // of the last piece
		}{
			{"pieces that split characters", wire.TypeVarString, []string{"gr\xc3", "\xb6\xc3", "\x9f", "e 🍣"[:4], "e 🍣"[4:]}, true, 1},
			{"the same in one piece", wire.TypeVarString, []string{"größe 🍣"}, true, 1},
			{"as a blob", wire.TypeLongBlob, []string{"\x00\xff", "", "\xfe"}, true, 1},
			{"nothing", wire.TypeLongBlob, []string{""}, true, 1},
			{"more than is looked up in the cache", wire.TypeLongBlob, []string{strings.Repeat("0123456789", 2000)}, false, 5},
		} {
			ask := func(d *dialogue, id uint32) reply {
				for i, piece := range c.pieces {
					for n := 0; n == 0 || n < c.repeats && i == len(c.pieces)-1; n++ {
						d.sendLong(id, 0, piece)
						d.sendLong(id, 2, piece)
					}
				}
				sent := param{kind: c.kind, value: []byte{}} // its value is not repeated
				return d.execute(id, sent, varcharParam("größe"), sent)
			}
			w.expectHit(t, c.name, ask(server, at), c.cached, func() reply { return ask(weir, through) })
			own := []param{varcharParam("own"), varcharParam("values"), longParam(7)}
			w.expectHit(t, c.name+", then none", server.oneOff(sql, own...)[1], true, func() reply { return weir.execute(through, own...) })
			weir.sendLong(through, 0, "to be forgotten")
			if r := weir.ask(wire.ComStmtReset, statementID(through)); r.kind != wire.KindOK {
				t.Errorf("COM_STMT_RESET: %s", r)
			}
			w.expectHit(t, c.name+", then reset", server.oneOff(sql, own...)[1], true, func() reply { return weir.execute(through, own...) })
		}
	})
}

// A client that asks for a cursor gets all rows: with the answer, as servers do that open none, or when it fetches them.
// In the middle of it, and after it, the connection is as good as before.
func TestPitfall39Cursors(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		_, server, weir := wireWorld(t, flavor)
		for _, sql := range []string{
			"SELECT id, v, d FROM t WHERE id > ? ORDER BY id", "SELECT id FROM t WHERE id > ? + 100",
			"SELECT id, body FROM big WHERE id > ? ORDER BY id", // more than is kept
			"SELECT id, RAND(1), v FROM t WHERE id > ? ORDER BY id",
		} {
			id := weir.mustPrepare(sql)
			want := server.oneOff(sql, longParam(0))[1]
			for _, step := range []uint32{1, 2, 1000} {
				for range 2 {
					if got := weir.fetchAll(id, step, longParam(0)); !slices.EqualFunc(got, want.rows(), bytes.Equal) {
						t.Errorf("%s, %d at a time: %d rows, want %d", sql, step, len(got), len(want.rows()))
					}
				}
			}
			opened := weir.ask(wire.ComStmtExecute, executeArgs(id, 1, []param{longParam(0)}, true))
			if got := weir.query("SELECT COUNT(*) FROM t").cells(); got != "5\n" {
				t.Errorf("%s: beside a cursor (%v) the connection answers %q", sql, opened.cursor, got)
			}
			if r := weir.ask(wire.ComStmtReset, statementID(id)); r.kind != wire.KindOK {
				t.Errorf("COM_STMT_RESET: %s", r)
			}
			if r := weir.ask(wire.ComStmtFetch, endian.LittleEndian.AppendUint32(statementID(id), 1)); !strings.Contains(r.String(), "1421") {
				t.Errorf("%s: a fetch without a cursor: %s", sql, r)
			}
			if diff := difference(want, weir.execute(id, longParam(0))); diff != "" {
				t.Errorf("%s, after cursors: %s", sql, diff)
			}
			weir.closeStatement(id)
		}
	})
}

// TestPitfall39CursorsAreTheServers: a cursor over a result that Weir has brings byte for byte the rows that one on the
// server does, whatever is asked for at a time and when there is nothing left. The definitions of its columns are those
// of the result; servers give those of the temporary table that their cursors read.
func TestPitfall39CursorsAreTheServers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, server, weir := wireWorld(t, flavor)
		for _, sql := range []string{"SELECT id, v, d FROM t WHERE id > ? ORDER BY id", "SELECT id FROM t WHERE id > ? + 100"} {
			there, here := server.mustPrepare(sql), weir.mustPrepare(sql)
			for _, step := range []uint32{0, 1, 2, 4, 5, 6, 1000} {
				before := w.counter("weir_statements_total", "outcome", "hit")
				for range 3 { // a fill, then hits
					want := server.ask(wire.ComStmtExecute, executeArgs(there, 1, []param{longParam(0)}, true))
					got := weir.ask(wire.ComStmtExecute, executeArgs(here, 1, []param{longParam(0)}, true))
					if !got.cursor || !want.cursor || len(got.packets()) != len(want.packets()) {
						t.Fatalf("%s opens %s, want %s", sql, got, want)
					}
					for i := 0; i < 7 && want.kind != wire.KindError; i++ {
						want = server.ask(wire.ComStmtFetch, endian.LittleEndian.AppendUint32(statementID(there), step))
						got = weir.ask(wire.ComStmtFetch, endian.LittleEndian.AppendUint32(statementID(here), step))
						if want.kind == wire.KindError { // which names the statement by its number
							want, got = reply{kind: want.kind}, reply{kind: got.kind}
						}
						if diff := difference(want, got); diff != "" || got.kind != want.kind || got.status&cursorFlags != want.status&cursorFlags {
							t.Fatalf("%s, %d at a time, fetch %d: %s (flags %#x, want %#x)", sql, step, i, diff, got.status, want.status)
						}
					}
				}
				if w.counter("weir_statements_total", "outcome", "hit") == before {
					t.Errorf("%s: none of the executions was a hit", sql)
				}
			}
		}
	})
}

const cursorFlags = wire.StatusCursorExists | wire.StatusLastRowSent

// fetchAll executes with a read-only cursor, and returns the rows wherever they are.
func (d *dialogue) fetchAll(id, step uint32, params ...param) (rows [][]byte) {
	d.t.Helper()
	r := d.ask(wire.ComStmtExecute, executeArgs(id, 1, params, true))
	if r.kind != wire.KindResultSet {
		d.t.Fatalf("%s: %s", d.name, r)
	}
	if !r.cursor {
		return r.rows()
	}
	for !r.status.Has(wire.StatusLastRowSent) {
		r = d.ask(wire.ComStmtFetch, endian.LittleEndian.AppendUint32(statementID(id), step))
		if r.kind == wire.KindError {
			d.t.Fatalf("%s: %s", d.name, r)
		}
		all := r.packets()
		for _, packet := range all[:len(all)-1] {
			rows = append(rows, packet[wire.HeaderSize:])
		}
	}
	return rows
}

// What the server says of a statement's parameters and columns is what Weir says, also after they have changed: of a
// statement that is prepared anew, and of one that is open.
func TestMetadataOfStatementsFollowsDefinitions(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w, server, weir := wireWorld(t, flavor)
		queries := []string{"SELECT * FROM t WHERE id = ?", "SELECT t.*, ? FROM t ORDER BY id", "SELECT * FROM w WHERE id < ? ORDER BY id", "SELECT v, MAX(id) + ? FROM t GROUP BY v ORDER BY 2"}
		at, through := map[string]uint32{}, map[string]uint32{}
		for _, sql := range queries {
			at[sql], through[sql] = server.mustPrepare(sql), weir.mustPrepare(sql)
		}
		writer := w.atServer("differ")
		for _, ddl := range []string{
			"DO 0", "ALTER TABLE t ADD COLUMN extra DECIMAL(10,3) UNSIGNED NOT NULL DEFAULT 1.5", "ALTER TABLE t MODIFY v VARBINARY(80)",
			"ALTER TABLE t DROP COLUMN d", "ALTER TABLE t MODIFY n TINYTEXT CHARACTER SET latin1", "ALTER TABLE t ADD COLUMN d DATE FIRST",
			"CREATE OR REPLACE VIEW w AS SELECT v AS renamed, id, extra FROM t", "ALTER TABLE t MODIFY id BIGINT", "CREATE OR REPLACE VIEW w AS SELECT id FROM big",
			"ALTER TABLE t MODIFY v INT", "ALTER TABLE t DROP COLUMN v", "DROP VIEW w",
		} {
			writer.query(ddl) // MODIFY v INT fails, and has changed nothing
			w.caughtUp()
			for _, sql := range queries {
				want, id := server.prepare(sql)
				server.closeStatement(id)
				for range 2 {
					got, id := weir.prepare(sql)
					weir.closeStatement(id)
					if diff := difference(want, got); diff != "" {
						t.Errorf("after %s: prepare %s: %s", ddl, sql, diff)
					}
				}
				open := server.execute(at[sql], longParam(5))
				for range 2 {
					if diff := difference(open, weir.execute(through[sql], longParam(5))); diff != "" {
						t.Errorf("after %s: the open statement %s: %s", ddl, sql, diff)
					}
				}
			}
		}
	})
}
