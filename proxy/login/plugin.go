package login

import (
	"crypto/rand"

	"github.com/go-mysql-org/go-mysql/mysql"
)

// Authentication plugins, by the names of their client sides.
const (
	NativePassword      = "mysql_native_password"
	CachingSHA2Password = "caching_sha2_password"
	sha256Password      = "sha256_password"
	ed25519Password     = "client_ed25519"
	clearPassword       = "mysql_clear_password"
)

const (
	// scrambleSize is the length of the random data of all plugins but MariaDB's ed25519, in bytes.
	scrambleSize = 20
	// proofSize is that of caching_sha2_password's proof.
	proofSize = 32
	// ed25519Size is that of MariaDB's ed25519.
	ed25519Size = 32
)

// Bytes of caching_sha2_password's and sha256_password's own protocol.
const (
	cachingFast       = 3 // server: the proof is right
	cachingFull       = 4 // server: send the password
	cachingKeyRequest = 2 // client: send the public key
	sha256KeyRequest  = 1 // client: send the public key
)

// accepted says whether Accept can verify a plugin's proofs.
func accepted(plugin string) bool { return plugin == NativePassword || plugin == CachingSHA2Password }

// proof returns what a client that knows the password answers to the scramble, with an accepted plugin. It is empty
// for an empty password.
func proof(plugin string, scramble []byte, password string) []byte {
	if plugin == CachingSHA2Password {
		return mysql.CalcCachingSha2Password(scramble, []byte(password))
	}
	return mysql.CalcNativePassword(scramble, []byte(password))
}

// newScramble returns random data as servers make it: seven bits, no zero, since it is sent as a string with one at
// its end, and no '$', which separates the fields of stored hashes.
func newScramble() []byte {
	b := make([]byte, scrambleSize)
	_, _ = rand.Read(b) // never fails, see its documentation
	for i, c := range b {
		b[i] = printable(c)
	}
	return b
}

// printable maps a byte to one of the 93 visible ASCII characters other than '$'. That costs a scramble about 30 of
// its 160 bits.
func printable(c byte) byte {
	c = '!' + c%93
	if c >= '$' {
		c++
	}
	return c
}
