package sandbox

import (
	"strings"
	"testing"
)

func TestOptionsValidate(t *testing.T) {
	source := &Server{Flavor: MySQL}
	silent := &Server{Flavor: MySQL, opts: Options{NoBinlog: true}}
	for _, c := range []struct {
		name string
		o    Options
		want string // part of the error; empty for none
	}{
		{"flavor alone", Options{Flavor: MariaDB}, ""},
		{"everything", Options{Flavor: MySQL, BinlogFormat: "MIXED", RowImage: "NOBLOB", LowerCaseTableNames: 1, ReplicaOf: source}, ""},
		{"no flavor", Options{}, "Flavor is"},
		{"format", Options{Flavor: MySQL, BinlogFormat: "row"}, "BinlogFormat is row"},
		{"image", Options{Flavor: MySQL, RowImage: "NONE"}, "RowImage is NONE"},
		{"names", Options{Flavor: MySQL, LowerCaseTableNames: 3}, "LowerCaseTableNames is 3"},
		{"other flavor", Options{Flavor: MariaDB, ReplicaOf: source}, "cannot follow"},
		{"no binlog", Options{Flavor: MySQL, ReplicaOf: silent}, "has no binlog"},
		{"one GTID", Options{Flavor: MySQL, NoGTID: true, ReplicaOf: source}, "NoGTID is true here and false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.o.withDefaults().validate()
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q", err, c.want)
			}
		})
	}
}
