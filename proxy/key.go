package proxy

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"weir/proxy/statement"
	"weir/proxy/wire"
)

// What a key begins with: answers in the text protocol and in that of prepared statements, and what is said about a
// statement when it is prepared.
const (
	protocolText        = 't'
	protocolBinary      = 'b'
	protocolDescription = 'd'
)

// makePrefix builds the session part of the key: everything but the text that changes the bytes of an answer. It is
// called when one of these changes, never for a statement.
func (s *session) makePrefix() {
	b := append(s.prefix[:0], protocolText)
	b = appendPart(b, s.account.user)
	b = appendPart(b, s.state.schema)
	b = appendPart(b, s.state.settings.text())
	b = append(b, s.poolKey.collation)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.poolKey.flags&(wire.ClientIgnoreSpace|wire.ClientExtendedMetadata)))
	// The defaults are long and nearly always the same; their hash, 128 bits, stands for them and the account.
	h := xxh3.HashString128(s.defaults.text + s.defaults.account).Bytes()
	s.prefix = append(b, h[:]...)
	s.strips = s.mayStrip()
	s.generation++
}

// appendPart adds a string in front of which its length stands, so that no two lists of parts run together.
func appendPart(b []byte, part string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

// makeKey puts the key of a text together in a buffer that lives as long as the session. It is valid until the next but
// one statement.
func (s *session) makeKey(text []byte) []byte {
	key := append(s.keys[s.turn][:0], s.prefix...)
	if s.strips {
		key = statement.AppendStripped(key, text)
	} else {
		key = append(key, text...)
	}
	s.keys[s.turn] = key
	return key
}

// mayStrip reports whether comments are left out of the session's keys: query_cache_strip_comments, where it is certain what is
// one.
func (s *session) mayStrip() bool {
	return s.variables.StripComments && s.utf8() && statement.Strippable(s.state.settings.sqlMode(s.defaults.sqlMode))
}
