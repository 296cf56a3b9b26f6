package proxy

import (
	"weir/cache/dep"
	"weir/proxy/wire"
)

// literals gives the values of the parameters as constants of the statement, as far as it matters which rows they find.
// What the packet does not hold in full is no constant that gives tags.
func (x *execution) literals(utf8 bool) []dep.Literal {
	params, err := x.Params(x.sentAhead)
	all := make([]dep.Literal, x.handle.params)
	if err != nil || len(params) != len(all) {
		return all
	}
	for i, p := range params {
		all[i] = literalOf(p, utf8)
	}
	return all
}

func (x *execution) sentAhead(param int) bool {
	for _, l := range x.long {
		if int(l.Param) == param {
			return true
		}
	}
	return false
}

// literalOf leaves out dates and times, which servers compare with texts otherwise than they compare texts.
func literalOf(p wire.Param, utf8 bool) dep.Literal {
	switch {
	case p.Ahead:
		return dep.Literal{}
	case p.Null:
		return dep.Literal{Kind: dep.NullLiteral}
	}
	switch p.Type {
	case wire.TypeTiny, wire.TypeShort, wire.TypeLong, wire.TypeInt24, wire.TypeLongLong:
		l, _ := dep.WholeOf(p.Value, p.Unsigned) // they have as many bytes as their type
		return l
	case wire.TypeDecimal, wire.TypeNewDecimal:
		return dep.Literal{Kind: dep.DecimalLiteral, Text: string(p.Value)}
	case wire.TypeVarchar, wire.TypeVarString, wire.TypeString:
		return dep.Literal{Kind: dep.TextLiteral, Text: string(p.Value), UTF8: utf8}
	case wire.TypeTinyBlob, wire.TypeMediumBlob, wire.TypeLongBlob, wire.TypeBlob:
		return dep.Literal{Kind: dep.BytesLiteral, Text: string(p.Value)}
	}
	return dep.Literal{}
}
