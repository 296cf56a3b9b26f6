package login

import (
	"testing"

	"weir/proxy/wire"
)

// TestPitfall40ChangeUser: another user, database and collation on the same connection, with a proof for a new scramble.
func TestPitfall40ChangeUser(t *testing.T) {
	tests := []struct {
		name      string
		change    wire.ChangeUser
		password  string
		want      wire.Code // of the error
		database  string
		collation uint16
	}{
		{"to a user without password", wire.ChangeUser{User: "open", Plugin: NativePassword, Database: "d", Collation: 2304},
			"", 0, "d", 2304},
		{"to the same user without a database", wire.ChangeUser{User: "app", Plugin: CachingSHA2Password}, "secret", 0, "", 45},
		{"from a client with an unknown plugin", wire.ChangeUser{User: "app", Plugin: "dialog"}, "secret", 0, "", 45},
		{"wrong password", wire.ChangeUser{User: "app", Plugin: NativePassword}, "wrong", 1045, "", 45},
		{"unknown user", wire.ChangeUser{User: "nobody", Plugin: NativePassword}, "secret", 1045, "", 45},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			a, b := pipe(t)
			wait := accepting(t.Context(), a, server(), func(s *Session) error { return changing(t, s) })
			backend, err := logIn(t.Context(), b, ClientOptions{User: "app", Password: "secret", Database: "first"})
			if err != nil {
				t.Fatal(err)
			}
			c := &script{t: t, peer: peer{conn: b, reader: backend.Reader}}
			c.reader.Expect(0)
			c.write(wire.Payload(tc.change.AppendFor(nil, backend.Capabilities)))
			m := c.readSwitch()
			c.write(wire.Payload(proof(m.Plugin, m.Data[:scrambleSize], tc.password)))
			answer := c.read()
			if len(answer) == 2 { // the proof is right
				answer = c.read()
			}
			if wire.IsError(answer) != (tc.want != 0) {
				t.Errorf("answer % x", answer)
			}
			s, err := wait()
			if code(err) != tc.want || s.User != tc.change.User || s.Database != tc.database || s.Collation != tc.collation {
				t.Errorf("user %s, database %q, collation %d, error %v", s.User, s.Database, s.Collation, err)
			}
		})
	}
}

// changing welcomes a client and serves its COM_CHANGE_USER.
func changing(t *testing.T, s *Session) error {
	if err := welcome(s); err != nil {
		return err
	}
	payload, err := s.Reader.ReadPacket(packetLimit)
	if err != nil {
		return err
	}
	if err := s.ChangeUser(t.Context(), payload); err != nil {
		return err
	}
	return welcome(s)
}

// TestChangeUserWithoutPlugins: the proof is for the scramble of the login.
func TestChangeUserWithoutPlugins(t *testing.T) {
	a, b := pipe(t)
	wait := accepting(t.Context(), a, server(), func(s *Session) error { return changing(t, s) })
	c := newScript(t, b)
	h := c.readHandshake()
	r := response("", proof(NativePassword, h.Scramble, "secret"))
	r.Capabilities = required
	c.write(r)
	c.readOK()
	c.reader.Expect(0)
	m := wire.ChangeUser{User: "app", Auth: proof(NativePassword, h.Scramble, "secret")}
	c.write(wire.Payload(m.AppendFor(nil, required)))
	c.readOK()
	if _, err := wait(); err != nil {
		t.Error(err)
	}
}

func TestChangeUserMalformed(t *testing.T) {
	a, b := pipe(t)
	wait := accepting(t.Context(), a, server(), func(s *Session) error { return changing(t, s) })
	backend, err := logIn(t.Context(), b, ClientOptions{User: "app", Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	c := &script{t: t, peer: peer{conn: b, reader: backend.Reader}}
	c.reader.Expect(0)
	c.write(wire.Payload{byte(wire.ComChangeUser), 'a'})
	if e := c.readError(); e.Code != wire.CodeBadHandshake {
		t.Errorf("error %v, want 1043", e)
	}
	if _, err := wait(); err == nil {
		t.Error("no error for half a COM_CHANGE_USER")
	}
}
