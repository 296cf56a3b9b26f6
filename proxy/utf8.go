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

// plain reports whether ASCII in the session's texts is ASCII to where the server compares it. swe7 has other letters in
// place of some signs.
func (s *session) plain() bool {
	for _, name := range [...]string{"collation_connection", "character_set_connection"} {
		if v, ok := s.state.settings.value(name); ok && isSwe7(v) {
			return false
		}
	}
	return !isSwe7(s.charset()) && !isSwe7(s.defaults.collation)
}

func isSwe7(name string) bool {
	return strings.HasPrefix(strings.ToLower(strings.Trim(name, `'"`)), "swe7")
}

// isUTF8 takes the name of a character set, or of a collation, perhaps in quotes.
func isUTF8(name string) bool {
	charset, _, _ := strings.Cut(strings.ToLower(strings.Trim(name, `'"`)), "_")
	return charset == "utf8mb4" || charset == "utf8mb3" || charset == "utf8"
}
