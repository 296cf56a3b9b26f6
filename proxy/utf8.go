package proxy

import "strings"

// utf8 reports whether the session's texts are UTF-8 all the way to where the server compares them: it takes them for
// text in character_set_client, and converts them to the character set of collation_connection.
func (s *session) utf8() bool {
	collation := s.defaults.collation
	if v, ok := s.state.settings.value("collation_connection"); ok {
		collation = v
	}
	if v, ok := s.state.settings.value("character_set_connection"); ok && !isUTF8(v) {
		return false
	}
	return isUTF8(s.charset()) && isUTF8(collation)
}

// isUTF8 takes the name of a character set, or of a collation, perhaps in quotes.
func isUTF8(name string) bool {
	charset, _, _ := strings.Cut(strings.ToLower(strings.Trim(name, `'"`)), "_")
	return charset == "utf8mb4" || charset == "utf8mb3" || charset == "utf8"
}
