package proxy

import (
	"encoding/binary"

	"weir/cache"
	"weir/proxy/wire"
)

// CachedResult is a result in memory, with what its key says, for those who look.
type CachedResult struct {
	// User, Schema and Text are who said what where. The text has the literals of the client that said it.
	User, Schema, Text string
	// Prepared: the answer is in the binary protocol.
	Prepared bool
	// Charset is the character set of the handshake's collation.
	Charset string
	// ExtendedMetadata is the client's capability of that name.
	ExtendedMetadata bool
	// KeyBytes is the length of the key.
	KeyBytes int64
	settings settings
	cache.Inspection
}

// Setting returns a variable that the session had set, as it was written, and otherwise what is given.
func (r CachedResult) Setting(name, otherwise string) string {
	if v, ok := r.settings.value(name); ok {
		if text, quoted := unquoted(v); quoted {
			return text
		}
		return v
	}
	return otherwise
}

// EachCached calls f for up to limit results in memory, in no order. It counts and promotes nothing.
func (s *Server) EachCached(limit int, f func(CachedResult)) {
	s.cache.EachInspected(func(key []byte, i cache.Inspection) {
		if limit <= 0 {
			return
		}
		if r, ok := s.readKey(key); ok {
			r.Inspection, r.KeyBytes = i, int64(len(key))
			limit--
			f(r)
		}
	})
}

// readKey takes a key apart as [session.makePrefix] has put it together; false if it is none of a result's.
func (s *Server) readKey(key []byte) (r CachedResult, ok bool) {
	prefix, q, ok := splitKey(key)
	if !ok || q.protocol == protocolDescription {
		return r, false
	}
	r.Text, r.Prepared = string(q.text), q.protocol == protocolBinary
	var parts [3]string
	rest := prefix[1:]
	for i := range parts {
		parts[i], rest = cutPart(rest)
	}
	r.User, r.Schema, r.settings = parts[0], parts[1], readSettings([]byte(parts[2]))
	if len(rest) >= 9 {
		r.Charset = s.facts.Charset(rest[0])
		r.ExtendedMetadata = wire.Capability(binary.LittleEndian.Uint64(rest[1:])).Has(wire.ClientExtendedMetadata)
	}
	return r, true
}

// cutPart reads what [appendPart] has written.
func cutPart(b []byte) (part string, rest []byte) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return "", nil
	}
	return string(b[size : size+int(n)]), b[size+int(n):]
}

// readSettings reads what [settings.text] has written.
func readSettings(b []byte) (list settings) {
	for len(b) > 0 {
		var v setting
		v.name, b = cutPart(b)
		v.value, b = cutPart(b)
		list = append(list, v)
	}
	return list
}
