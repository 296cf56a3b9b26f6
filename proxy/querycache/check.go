package querycache

import (
	"math"
	"strings"

	"weir/proxy/wire"
)

// ValueKind is what an assigned value is.
type ValueKind uint8

// Kinds of values.
const (
	Whole ValueKind = iota // a whole number: Value.Number
	Text                   // a string or a word: Value.Text
	Other                  // a number with a fraction, a date and so on
	Null
	Default // the word DEFAULT
)

// Value is what an assignment gives.
type Value struct {
	Kind ValueKind
	// Negative numbers are in Number, as two's complement.
	Number   uint64
	Negative bool
	// Text is the value in words, for errors, too.
	Text string
}

// Warning is what a server would show by SHOW WARNINGS.
type Warning struct {
	Code    wire.Code
	Message string
}

// Change makes one assignment that was checked, for the session that it was checked for, and says what is to be said.
type Change func(of *Session) []Warning

// Check judges an assignment. It changes nothing. Whether the account may set global variables is for the caller to judge,
// before.
func (s *Settings) Check(name string, global bool, value Value) (Change, *wire.Error) {
	v := find(name)
	switch {
	case v == nil:
		return nil, wire.Errorf(wire.CodeUnknownVariable, "Unknown system variable '%s'", name)
	case v.kind == fixed:
		return nil, wire.Errorf(wire.CodeIsGlobalVariable, "Variable '%s' is a read only variable", v.name)
	case v.global && !global:
		return nil, wire.Errorf(wire.CodeGlobalVariable, "Variable '%s' is a GLOBAL variable and should be set with SET GLOBAL", v.name)
	case v.kind == number:
		return s.checkNumber(v, value)
	case v.kind == boolean:
		return s.checkBoolean(v, global, value)
	}
	return s.checkType(v, global, value)
}

func wrongType(v *variable) *wire.Error {
	return wire.Errorf(wire.CodeWrongType, "Incorrect argument type to variable '%s'", v.name)
}

func wrongValue(v *variable, value Value) *wire.Error {
	text := value.Text
	if value.Kind == Null {
		text = "NULL"
	}
	return wire.Errorf(wire.CodeWrongValue, "Variable '%s' can't be set to the value of '%s'", v.name, text)
}

// option reads a value of a variable that has names for its numbers.
func option(v *variable, value Value, names ...string) (int, *wire.Error) {
	switch value.Kind {
	case Other:
		return 0, wrongType(v)
	case Whole:
		if !value.Negative && value.Number < uint64(len(names)) {
			return int(value.Number), nil
		}
	case Text:
		for i, name := range names {
			if strings.EqualFold(name, value.Text) {
				return i, nil
			}
		}
	}
	return 0, wrongValue(v, value)
}

func (s *Settings) checkBoolean(v *variable, global bool, value Value) (Change, *wire.Error) {
	shared, own := &s.stripComments, func(of *Session) *bool { return &of.StripComments }
	if v.name != "query_cache_strip_comments" {
		shared, own = &s.wlock, func(of *Session) *bool { return &of.WlockInvalidate }
	}
	on := 0
	if value.Kind != Default {
		var e *wire.Error
		if on, e = option(v, value, "OFF", "ON"); e != nil {
			return nil, e
		}
	}
	return func(of *Session) []Warning {
		switch {
		case global:
			shared.Store(on == 1)
		case value.Kind == Default:
			*own(of) = shared.Load()
		default:
			*own(of) = on == 1
		}
		return nil
	}, nil
}

// checkType: a session cannot switch on what is off for all.
func (s *Settings) checkType(v *variable, global bool, value Value) (Change, *wire.Error) {
	to := s.Type()
	if global {
		to = s.initial.Type
	}
	if value.Kind != Default {
		n, e := option(v, value, "OFF", "ON", "DEMAND", "OBSERVE")
		if e != nil {
			return nil, e
		}
		to = Type(n)
		if to == Observe && (!global || value.Kind != Text) { // by its name alone: 3 was never a value
			return nil, wrongValue(v, value)
		}
	}
	if !global && to != Off && s.Type() == Off {
		return nil, s.disabled()
	}
	return func(of *Session) []Warning {
		if global {
			s.setType(to)
		}
		if !global || to == Off && s.initial.MariaDB { // MariaDB's OFF for all is OFF for who says it, too
			of.Type = to
		}
		return nil
	}, nil
}

func (s *Settings) disabled() *wire.Error {
	if s.initial.MariaDB {
		return wire.Errorf(wire.CodeCacheOffForAll, "Query cache is globally disabled and you can't enable it only for this session")
	}
	return wire.Errorf(wire.CodeCacheDisabled, "Query cache is disabled; set it to ON or DEMAND with SET GLOBAL query_cache_type first")
}

func (s *Settings) checkNumber(v *variable, value Value) (Change, *wire.Error) {
	if value.Kind != Default && value.Kind != Whole {
		return nil, wrongType(v)
	}
	switch v.name {
	case "query_cache_limit":
		return s.change(v, value, bounds{byDefault: s.initial.Limit, most: maxLimit, step: 1}, s.setLimit), nil
	case "query_cache_min_res_unit":
		return s.change(v, value, bounds{byDefault: defaultUnit, least: 512, most: math.MaxUint32, step: 8}, s.unit.Store), nil
	}
	return s.change(v, value, bounds{byDefault: s.initial.Size, most: math.MaxInt64, step: 1024}, s.setSize), nil
}
