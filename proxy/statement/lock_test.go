package statement

import (
	"fmt"
	"testing"
)

func TestLockedForWrite(t *testing.T) {
	for sql, want := range map[string]string{
		"LOCK TABLES t WRITE":                               "[d.t]",
		"lock table A.B as x low_priority write, c read":    "[a.b]",
		"LOCK TABLES c READ LOCAL, `write` READ, e x WRITE": "[d.e]",
		"LOCK TABLES c READ":                                "[]",
		"UNLOCK TABLES":                                     "[]",
		"LOCK INSTANCE FOR BACKUP":                          "[]",
		"LOCK TABLES t WRITE, u WRITE":                      "[d.t d.u]",
	} {
		if got := fmt.Sprint(LockedForWrite(sql, Env{Schema: "d"})); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}
