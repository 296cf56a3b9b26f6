package replicator

import (
	"context"
	"errors"
	"strings"
	"testing"

	"weir/cache"
	"weir/replicator/gtid"
	"weir/replicator/identity"
)

const sourceUUID, otherUUID, strangerUUID = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222", "33333333-3333-3333-3333-333333333333"

// recorded has a base up to 10 and three transactions, at 1100, 1200 and 1300, the second of another origin.
func recorded(t *testing.T, f gtid.Flavor, base string, gtids ...gtid.GTID) *Positions {
	t.Helper()
	set, err := gtid.Parse(f, base)
	if err != nil {
		t.Fatal(err)
	}
	l, j := cache.NewLedger(1<<10), NewJournal()
	j.Restart(l.Restart(1000), set)
	l.Advance(1000)
	for i, g := range gtids {
		seq := cache.Seq(1100 + 100*i)
		j.Append(g, seq)
		l.Record(seq, nil)
	}
	return NewPositions(j, l, func() identity.Identity { return identity.Identity{Flavor: f, ID: sourceUUID} })
}

func mysqlGTID(t *testing.T, text string) gtid.GTID {
	t.Helper()
	digit := text[0] - '0'
	var uuid [16]byte
	for i := range uuid {
		uuid[i] = digit<<4 | digit
	}
	var n int64
	for _, c := range text[2:] {
		n = n*10 + int64(c-'0')
	}
	return gtid.OfMySQL(uuid, "", n)
}

func TestPositionsReached(t *testing.T) {
	mysql := recorded(t, gtid.MySQL, sourceUUID+":1-10", mysqlGTID(t, "1:11"), mysqlGTID(t, "2:1"), mysqlGTID(t, "1:12"))
	mariadb := recorded(t, gtid.MariaDB, "0-1-10", gtid.OfMariaDB(0, 1, 11), gtid.OfMariaDB(7, 1, 1), gtid.OfMariaDB(0, 2, 12))
	quiet := recorded(t, gtid.MySQL, "")
	for _, tt := range []struct {
		name      string
		positions *Positions
		text      string
		want      cache.Seq // 0: it is not reached
		wrong     string
	}{
		{"the first", mysql, sourceUUID + ":11", 1100, ""},
		{"up to the first", mysql, sourceUUID + ":1-11", 1100, ""},
		{"of another origin", mysql, otherUUID + ":1", 1200, ""},
		{"the last of several", mysql, otherUUID + ":1," + sourceUUID + ":11", 1200, ""},
		{"all", mysql, otherUUID + ":1,\n" + sourceUUID + ":1-12", 1300, ""},
		{"from before the stream began", mysql, sourceUUID + ":3", 1099, ""},
		{"not yet", mysql, sourceUUID + ":13", 0, ""},
		{"one of them not yet", mysql, sourceUUID + ":11:13", 0, ""},
		{"a new tag of a known server, not yet", mysql, sourceUUID + ":tag:1", 0, ""},
		{"a stranger", mysql, sourceUUID + ":11," + strangerUUID + ":1", 0, "no transaction of server " + strangerUUID},
		{"the source's own before its first transaction", quiet, sourceUUID + ":1", 0, ""},
		{"of the other flavour", mysql, "0-1-11", 0, "not a UUID"},
		{"garbage", mysql, "x", 0, "not a UUID"},
		{"the first", mariadb, "0-1-11", 1100, ""},
		{"written by another server", mariadb, "0-9-11", 1100, ""},
		{"in another domain", mariadb, "7-1-1", 1200, ""},
		{"both domains", mariadb, "7-1-1,0-2-12", 1300, ""},
		{"from before the stream began", mariadb, "0-1-3", 1099, ""},
		{"not yet", mariadb, "0-1-13", 0, ""},
		{"a new domain, not yet", mariadb, "8-1-1", 0, ""},
		{"of the other flavour", mariadb, sourceUUID + ":11", 0, "sequence number"},
		{"garbage", mariadb, "0-1", 0, "sequence number"},
	} {
		t.Run(string(tt.positions.source().Flavor)+" "+tt.name, func(t *testing.T) {
			over := errors.New("the time is over")
			ctx, cancel := context.WithCancelCause(t.Context())
			if tt.want == 0 {
				cancel(over)
			}
			defer cancel(nil)
			at, err := tt.positions.Reached(ctx, tt.text)
			switch {
			case tt.want > 0 && (err != nil || at != cache.Mark{Epoch: 1, Seq: tt.want}):
				t.Errorf("got %v and error %v, want Seq %d", at, err, tt.want)
			case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
				t.Errorf("got error %v, want one with %q", err, tt.wrong)
			case tt.want == 0 && tt.wrong == "" && !errors.Is(err, over):
				t.Errorf("got %v and error %v, want to wait", at, err)
			}
		})
	}
}

// Whoever waits wakes when the transaction is recorded: not when it is noted in the journal, which comes first.
func TestPositionsWait(t *testing.T) {
	p := recorded(t, gtid.MariaDB, "0-1-10")
	got := make(chan cache.Mark)
	go func() {
		at, err := p.Reached(t.Context(), "0-1-12")
		if err != nil {
			t.Error(err)
		}
		got <- at
	}()
	p.journal.Append(gtid.OfMariaDB(0, 1, 11), 1100)
	p.ledger.Record(1100, nil)
	p.journal.Append(gtid.OfMariaDB(0, 1, 12), 1200)
	select {
	case at := <-got:
		t.Fatalf("it returned %v before the ledger had it", at)
	default:
	}
	p.ledger.Record(1200, nil)
	if at := <-got; at.Seq != 1200 {
		t.Errorf("got %v, want Seq 1200", at)
	}
}

func TestPositionsAfterFolding(t *testing.T) {
	p := recorded(t, gtid.MariaDB, "0-1-10", gtid.OfMariaDB(0, 1, 11), gtid.OfMariaDB(0, 1, 12), gtid.OfMariaDB(0, 1, 13))
	p.journal.fold(2)
	for text, want := range map[string]cache.Seq{"0-1-11": 1299, "0-1-12": 1299, "0-1-13": 1300} {
		if at, err := p.Reached(t.Context(), text); err != nil || at.Seq != want {
			t.Errorf("%s: got %v and error %v, want %d", text, at, err, want)
		}
	}
}
