package relay

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"reflect"
	"testing"
	"time"

	"weir/cache"
	"weir/cache/dep"
	"weir/replicator/change"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

var update = flag.Bool("update", false, "write the golden files anew")

// full is a transaction that has everything.
func full() *change.Transaction {
	orders, lines := dep.Fold("shop", "orders"), dep.Fold("shop", "Lines")
	return &change.Transaction{
		Seq: cache.At(7, 1543), GTID: gtid.OfMariaDB(1, 2, 3), CommittedAt: time.UnixMicro(1700000000123456), Coarse: true,
		Tables: []dep.Name{orders}, Schemas: []string{"shop", "other"}, Rows: []dep.Name{lines, orders},
		Tags: []cache.Tag{1, 1<<64 - 1, orders.Tag()}, Parents: []dep.Name{orders}, Definitions: []dep.Name{lines},
		Layouts: []dep.Name{orders, lines}, Everything: "a reason", XAThread: 1<<32 - 1,
		Statements: []change.Statement{{Schema: "shop", SQL: "ALTER TABLE orders\x00", Phase: change.Started}, {SQL: ""}},
	}
}

func transactions() []*change.Transaction {
	uuid := [16]byte{1, 2, 3}
	return []*change.Transaction{
		full(),
		{Seq: 5},
		{Seq: 1<<64 - 1, GTID: gtid.OfMySQL(uuid, "tagged", 77)},
		{Seq: 9, GTID: gtid.OfMySQL(uuid, "", 1<<62), CommittedAt: time.UnixMicro(-5)},
		{Seq: 9, Everything: "x"},
	}
}

func records() (b []byte, want []record) {
	for _, t := range transactions() {
		b = appendTransaction(append(b, kindTransaction), t)
		want = append(want, record{kind: kindTransaction, transaction: t})
	}
	b = appendProgress(b, 99)
	want = append(want, record{kind: kindProgress, transaction: &change.Transaction{Seq: 99}})
	done, _ := gtid.Parse(gtid.MariaDB, "0-1-100,7-2-3")
	c := &checkpoint{
		source: identity.Identity{Flavor: gtid.MariaDB, ID: "1/host"}, file: File{"binlog.000007", 1700000000}, settled: true,
		seq: cache.At(7, 4), done: done, written: "0-1-100,0-2-99", late: []lateCommit{{1, 2}, {3, 4}},
	}
	b = appendCheckpoint(b, c)
	want = append(want, record{kind: kindCheckpoint, checkpoint: c})
	b = appendFile(b, c.file)
	want = append(want, record{kind: kindFile, file: c.file})
	i := dep.Interests{Table: dep.Fold("shop", "orders"), Wants: []dep.Want{{Column: "id", Interest: dep.InValue}, {Column: "", Interest: dep.InChange}}}
	b = appendFollowed(b, i, 12)
	want = append(want, record{kind: kindFollowed, followed: i, since: 12})
	return append(b, kindAnswered), append(want, record{kind: kindAnswered})
}

func TestEntryKeepsEverything(t *testing.T) {
	b, want := records()
	h := header{incarnation: 1<<63 + 5, n: 3, from: 4, to: 1<<64 - 1}
	got, all, err := decodeEntry(appendEntry(nil, h, b))
	if err != nil || got != h {
		t.Fatalf("the header is %+v (%v), want %+v", got, err, h)
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("the records are\n%+v, want\n%+v", all, want)
	}
}

// TestEveryFieldTravels: a field that is new in change.Transaction must be encoded too. But for Deeds, on which nothing that
// is served depends, and in whose place a consumer's recorder says that rows changed.
func TestEveryFieldTravels(t *testing.T) {
	v := reflect.ValueOf(*full())
	for i := range v.NumField() {
		if v.Field(i).IsZero() && v.Type().Field(i).Name != "Deeds" {
			t.Errorf("full() does not have %s; does the codec?", v.Type().Field(i).Name)
		}
	}
	if n := reflect.TypeFor[change.Statement]().NumField(); n != 3 {
		t.Errorf("a statement has %d fields, three are encoded", n)
	}
}

// TestGolden: entries of one format stay readable. Whoever changes them raises format.
func TestGolden(t *testing.T) {
	b, _ := records()
	got := []byte(hex.EncodeToString(appendEntry(nil, header{incarnation: 1, n: 2, from: 3, to: 4}, b)) + "\n")
	const file = "testdata/entry.hex"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("an entry is now written as\n%s, in format %d it was\n%s", got, format, want)
	}
}

func TestGarbledEntryIsNone(t *testing.T) {
	b, _ := records()
	whole := appendEntry(nil, header{incarnation: 1, n: 2, from: 3, to: 4}, b)
	for i := range whole {
		garbled := bytes.Clone(whole)
		garbled[i] ^= 1 << (i % 8)
		if _, _, err := decodeEntry(garbled); err == nil {
			t.Fatalf("an entry with another byte %d is read", i)
		}
		if _, _, err := decodeEntry(whole[:i]); err == nil {
			t.Fatalf("the first %d bytes of an entry are read", i)
		}
	}
}

func TestLongStatementIsNotUnderstood(t *testing.T) {
	long := &change.Transaction{Seq: 1, Statements: []change.Statement{{Schema: "shop", SQL: string(make([]byte, maxStatement+1))}}}
	r := &reader{b: appendTransaction(nil, long)}
	if got := r.transaction(); r.failed || got.Statements[0].SQL != tooLong {
		t.Errorf("it is passed on as %.50q", got.Statements[0].SQL)
	}
}

// FuzzDecode: nothing that anybody may have put into Redis makes a consumer panic, and what it reads it would write alike.
func FuzzDecode(f *testing.F) {
	b, _ := records()
	f.Add(b)
	for _, t := range transactions() {
		f.Add(appendTransaction([]byte{kindTransaction}, t))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		entry := appendEntry(nil, header{n: 1}, b)
		_, all, err := decodeEntry(entry)
		if err != nil {
			return
		}
		for _, r := range all {
			if r.kind != kindTransaction {
				continue
			}
			again := &reader{b: appendTransaction(nil, r.transaction)}
			if got := again.transaction(); again.failed || !reflect.DeepEqual(normal(got), normal(r.transaction)) {
				t.Errorf("%+v becomes %+v", r.transaction, got)
			}
		}
		decodeAnswered(b)
		decodeInterest(string(b))
	})
}

// normal makes empty lists nil, and what the flags do not tell zero.
func normal(t *change.Transaction) change.Transaction {
	n := *t
	if len(n.Tags) == 0 {
		n.Tags = nil
	}
	return n
}
