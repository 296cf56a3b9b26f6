package proxy

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"weir/proxy/wire"
)

// SET NAMES utf8mb4 COLLATE utf8mb4_bin gives character_set_results that collation, too, and the definitions of columns
// say so for as long as it holds. But the variable tells the character set alone, and to set it to that would give it the
// default collation. So the only way to say it to another connection is SET NAMES again.

// namesAgain is what the value of a character_set_results starts with that SET NAMES has to set. It comes first, since it
// sets other variables as well.
const namesAgain = "NAMES "

// withNames puts SET NAMES in the place of a character_set_results that was read back together with
// collation_connection, if columns came in that collation: r is the answer that had them.
func (c *conn) withNames(r *response, names, values []string) ([]string, error) {
	results, collation := slices.Index(names, "character_set_results"), slices.Index(names, "collation_connection")
	if results < 0 || collation < 0 || values[results] == "NULL" || values[results] == "'binary'" {
		return values, nil // then columns keep their own
	}
	defs, _, err := definitions(r.buf, c.columnDecoder())
	if err != nil {
		return nil, err
	}
	rows, err := c.query("SELECT ID FROM information_schema.COLLATIONS WHERE COLLATION_NAME = " + values[collation] + " LIMIT 1")
	var refused *wire.Error
	if errors.As(err, &refused) {
		return values, nil
	}
	if err == nil && len(rows) == 1 && rows[0][0] == strconv.Itoa(int(defs[results].Collation)) && fitsCharset(values[collation], values[results]) {
		values[results] = namesAgain + values[results] + " COLLATE " + values[collation]
	}
	return values, err
}

// fitsCharset reports whether SET NAMES takes the two together; both are in quotes.
func fitsCharset(collation, charset string) bool {
	name, of := strings.Trim(collation, "'"), strings.Trim(charset, "'")
	return name == of || strings.HasPrefix(name, of+"_")
}
