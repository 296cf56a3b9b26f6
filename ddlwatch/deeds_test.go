package ddlwatch

import (
	"fmt"
	"testing"
)

// TestDeeds: a statement in text says of each of its tables whether it changed rows or more than that.
func TestDeeds(t *testing.T) {
	for sql, want := range map[string]string{
		"INSERT INTO items VALUES (1)":               "[{shop.items statement 0}]",
		"DELETE FROM items":                          "[{shop.items statement 0}]",
		"ALTER TABLE items ADD COLUMN c INT":         "[{shop.items ddl 0}]",
		"TRUNCATE TABLE items":                       "[{shop.items ddl 0}]",
		"RENAME TABLE items TO b":                    "[{shop.items ddl 0} {shop.b ddl 0}]",
		"CREATE USER somebody IDENTIFIED BY 'hush!'": "[]",
	} {
		tx := transaction(100, sql)
		apply(NewStage(newDiary(), newDiary(), nil, nil), tx)
		if got := fmt.Sprint(tx.Deeds); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}
