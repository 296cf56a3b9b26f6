package dep

import (
	"bytes"
	"slices"
	"strings"
)

// describeEnum is for an ENUM under a collation that is known. It stays Opaque if there is a backslash in its description,
// which servers also use to escape other characters there, or a question mark, which both show instead of a character from
// beyond the basic plane.
func (t *Type) describeEnum(d Described) {
	c, members, ok := collationOf(d), []string(nil), false
	if c != nil {
		members, ok = enumMembers(d.ColumnType)
	}
	if !ok {
		return
	}
	names, ok := encodeNames(c, members)
	if ok {
		t.Class, t.Collation, t.Members, t.text, t.names = Enum, d.Collation, members, c, names
	}
}

// encodeNames encodes the error value, which is the empty text, and the members.
func encodeNames(c *collation, members []string) ([][]byte, bool) {
	names := make([][]byte, 0, 1+len(members))
	for _, member := range append([]string{""}, members...) {
		text, ok := c.charset.encode(member)
		if !ok {
			return nil, false
		}
		name, ok := c.append(nil, text)
		if !ok {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// enumMembers reads enum('a','it”s').
func enumMembers(columnType string) (members []string, ok bool) {
	rest, ok := strings.CutPrefix(columnType, "enum(")
	for ok && !strings.ContainsAny(rest, `\?`) {
		var member string
		if member, rest, ok = quoted(rest); !ok {
			return nil, false
		}
		members = append(members, member)
		if rest == ")" {
			return members, true
		}
		rest, ok = strings.CutPrefix(rest, ",")
	}
	return nil, false
}

// quoted reads one text in quotes, in which quotes are doubled.
func quoted(text string) (inner, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, "'")
	if !ok {
		return "", "", false
	}
	for {
		part, after, found := strings.Cut(text, "'")
		if !found {
			return "", "", false
		}
		inner += part
		if text, ok = strings.CutPrefix(after, "'"); !ok {
			return inner, after, true
		}
		inner += "'"
	}
}

// appendEnumLiteral encodes a name. A text that is no name is left out: where the column has an index, servers take one of
// digits for a number.
func (t *Type) appendEnumLiteral(dst []byte, l Literal) ([]byte, bool) {
	text, ok := t.textLiteral(l)
	if !ok {
		return dst, false
	}
	name, ok := t.text.append(nil, text)
	if !ok || !slices.ContainsFunc(t.names, func(n []byte) bool { return bytes.Equal(n, name) }) {
		return dst, false
	}
	return append(dst, name...), true
}

// appendEnumImage: the number of a member, from 1, or 0 for the error value.
func (t *Type) appendEnumImage(dst, raw []byte) ([]byte, bool) {
	n := 0
	switch len(raw) {
	case 1:
		n = int(raw[0])
	case 2:
		n = int(raw[0]) | int(raw[1])<<8
	default:
		return dst, false
	}
	if n >= len(t.names) {
		return dst, false
	}
	return append(dst, t.names[n]...), true
}
