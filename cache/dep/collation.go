package dep

import (
	"strings"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"
)

// collation turns text into weights: what the server finds equal has equal weights.
//
// Texts are equal under a PAD SPACE collation, which most are, also if they differ in spaces at their ends, and so in
// whatever weighs as much as spaces. Under a NO PAD collation they are not, but a CHAR is without trailing spaces in the
// binlog and may be with them in a comparison (sql_mode PAD_CHAR_TO_FULL_LENGTH). So trailing weights of spaces are left
// off for all of them, which under NO PAD makes more texts equal than are. It has to be done with the weights and not
// with the text: a space and a no-break space can weigh the same, and characters that weigh nothing may stand behind.
type collation struct {
	// name is in lower case, of utf8mb3 and not of utf8.
	name    string
	charset charset
	// weights is nil if the bytes of the text are what is compared.
	weights colldata.Collation
	// folded says that only ASCII is known, see [appendFolded].
	folded bool
	// unit is how many bytes a weight has.
	unit int
	// space is what a space weighs, on each level of the collation.
	space [][]byte
}

// collationOf returns nil for a collation under which Weir does not know exactly what is equal.
func collationOf(d Described) *collation {
	charset, ok := charsetOf(d.Charset)
	if !ok {
		return nil
	}
	c := &collation{name: canonical(d.Collation), charset: charset, unit: 1, space: [][]byte{{' '}}}
	rest, ok := strings.CutPrefix(c.name, charset.name+"_")
	if !ok {
		return nil
	}
	switch knownAs(charset.name, rest, d.MariaDB) {
	case byBytes:
		return c
	case byFolding:
		c.folded = true
		return c
	case byWeights:
		return c.withWeights(strings.Replace(c.name, "_nopad", "", 1))
	}
	return nil
}

// canonical: utf8 has been called utf8mb3 since MySQL 8.0.30 and MariaDB 10.6.1.
func canonical(name string) string {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "utf8_"); ok {
		return "utf8mb3_" + rest
	}
	return name
}

// withWeights looks a collation up in Vitess's tables, and how it weighs a space there.
func (c *collation) withWeights(name string) *collation {
	id := collations.NewEnvironment("8.0.30").LookupByName(name)
	c.weights = colldata.Lookup(id)
	if c.weights == nil {
		return nil
	}
	if c.charset.width > 1 {
		c.unit = 2
	}
	c.space = c.levels(c.weights.WeightString(nil, []byte{' '}, 0))
	return c
}

// levels splits weights at the zeros between levels. A collation with a single level has none.
func (c *collation) levels(weights []byte) [][]byte {
	if c.unit == 1 {
		return [][]byte{weights}
	}
	all := [][]byte{nil}
	for i := 0; i+1 < len(weights); i += 2 {
		if weights[i] == 0 && weights[i+1] == 0 {
			all = append(all, nil)
			continue
		}
		last := len(all) - 1
		all[last] = append(all[last], weights[i:i+2]...)
	}
	return all
}

// append appends the weights of a text that is valid in the character set.
func (c *collation) append(dst, text []byte) ([]byte, bool) {
	start := len(dst)
	switch {
	case c.folded:
		var ok bool
		if dst, ok = appendFolded(dst, text); !ok {
			return dst[:start], false
		}
	case c.weights == nil:
		dst = append(dst, text...)
	default:
		dst = c.weights.WeightString(dst, text, 0)
	}
	return c.trim(dst, start), true
}

// trim leaves off the weights of spaces at the end of each level.
func (c *collation) trim(dst []byte, start int) []byte {
	level, from, to := 0, start, start
	for i := start; i+c.unit <= len(dst); i += c.unit {
		if c.unit == 2 && level+1 < len(c.space) && dst[i] == 0 && dst[i+1] == 0 {
			to = c.trimLevel(dst, from, to, level)
			from, level = to+c.unit, level+1
		}
		to += copy(dst[to:to+c.unit], dst[i:i+c.unit])
	}
	return dst[:c.trimLevel(dst, from, to, level)]
}

// trimLevel returns where a level from from to to ends without its spaces.
func (c *collation) trimLevel(dst []byte, from, to, level int) int {
	space := c.space[level]
	for n := len(space); n > 0 && to-n >= from && string(dst[to-n:to]) == string(space); {
		to -= n
	}
	return to
}
