package login

import (
	"reflect"
	"testing"

	"weir/proxy/wire"
)

// TestPitfall37BothSides logs the client side in on the server side, with each plugin that the server can offer.
func TestPitfall37BothSides(t *testing.T) {
	const yes, no = "server error 1045 (28000): Access denied for user '", "'@'localhost' (using password: "
	tests := []struct {
		name, user, password string
		want                 string // the error
	}{
		{"right password", "app", "secret", ""},
		{"long password", "long", longPassword, ""},
		{"no password", "open", "", ""},
		{"wrong password", "app", "wrong", yes + "app" + no + "YES)"},
		{"empty in place of a password", "app", "", yes + "app" + no + "NO)"},
		{"password in place of an empty one", "open", "secret", yes + "open" + no + "YES)"},
		{"unknown user", "nobody", "secret", yes + "nobody" + no + "YES)"},
		{"unknown user without password", "nobody", "", yes + "nobody" + no + "NO)"},
		{"unknown user with the decoy's password", "nobody", "no such user", yes + "nobody" + no + "YES)"},
	}
	for _, plugin := range []string{NativePassword, CachingSHA2Password} {
		for _, tc := range tests {
			t.Run(plugin+"/"+tc.name, func(t *testing.T) {
				a, b := pipe(t)
				o := server()
				o.Plugin = plugin
				wait := accepting(t.Context(), a, o, welcome)
				backend, err := logIn(t.Context(), b, ClientOptions{User: tc.user, Password: tc.password})
				s, acceptErr := wait()
				if tc.want == "" {
					if err != nil || acceptErr != nil || s.User != tc.user || backend.ConnectionID != 7 {
						t.Fatalf("client %v, server %v", err, acceptErr)
					}
					return
				}
				if err == nil || err.Error() != tc.want {
					t.Errorf("client's error %v, want %v", err, tc.want)
				}
				if code(acceptErr) != wire.CodeAccessDenied {
					t.Errorf("server's error %v, want 1045", acceptErr)
				}
			})
		}
	}
}

// TestFacts: what each side learns about the other.
func TestFacts(t *testing.T) {
	a, b := pipe(t)
	wait := accepting(t.Context(), a, server(), welcome)
	backend, err := logIn(t.Context(), b, ClientOptions{
		User: "app", Password: "secret", Database: "shop", Collation: 255,
		Capabilities: wire.ClientFoundRows, Attributes: wire.Attributes{{Name: "program_name", Value: "weir"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := wait()
	if err != nil {
		t.Fatal(err)
	}
	caps := basic | wire.ClientFoundRows | wire.ClientConnectWithDB | wire.ClientConnectAttrs
	got := Session{User: s.User, Database: s.Database, Host: s.Host, Collation: s.Collation,
		Capabilities: s.Capabilities, Attributes: s.Attributes, MaxPacket: s.MaxPacket}
	want := Session{User: "app", Database: "shop", Host: "localhost", Collation: 255, Capabilities: caps,
		Attributes: wire.Attributes{{Name: "program_name", Value: "weir"}}, MaxPacket: 1 << 30}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("session %+v, want %+v", got, want)
	}
	backend.Conn, backend.Reader = nil, nil
	if want := (Backend{Version: "8.4.0-test", Flavor: MySQL, ConnectionID: 7, Capabilities: caps,
		Status: wire.StatusAutocommit}); *backend != want {
		t.Errorf("backend %+v, want %+v", *backend, want)
	}
}

// TestCommandAfterLogin: both readers are where the first command starts.
func TestCommandAfterLogin(t *testing.T) {
	a, b := pipe(t)
	wait := accepting(t.Context(), a, server(), func(s *Session) error {
		if err := s.Welcome(wire.StatusAutocommit); err != nil {
			return err
		}
		return pong(s)
	})
	backend, err := logIn(t.Context(), b, ClientOptions{User: "app", Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	ping, _ := wire.AppendPacket(nil, 0, wire.Payload{byte(wire.ComPing)})
	if _, err := backend.Conn.Write(ping); err != nil {
		t.Fatal(err)
	}
	backend.Reader.Expect(1)
	payload, err := backend.Reader.ReadPacket(100)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := wire.DecodeOK(payload); err != nil || ok.Status != wire.StatusInTrans {
		t.Errorf("answer %+v, %v, want OK", ok, err)
	}
	if _, err := wait(); err != nil {
		t.Error(err)
	}
}

// pong answers one COM_PING.
func pong(s *Session) error {
	if _, err := s.Reader.ReadPacket(1); err != nil {
		return err
	}
	return s.peer.send(wire.OK{Status: wire.StatusInTrans})
}

// TestRefuse: the caller's refusal in place of OK.
func TestRefuse(t *testing.T) {
	for _, plugin := range []string{NativePassword, CachingSHA2Password} {
		t.Run(plugin, func(t *testing.T) {
			a, b := pipe(t)
			o := server()
			o.Plugin = plugin
			wait := accepting(t.Context(), a, o, func(s *Session) error {
				return s.Refuse(wire.Errorf(wire.CodeUnknownDatabase, "Unknown database '%s'", s.Database))
			})
			_, err := logIn(t.Context(), b, ClientOptions{User: "app", Password: "secret", Database: "none"})
			if want := "server error 1049 (42000): Unknown database 'none'"; err == nil || err.Error() != want {
				t.Errorf("error %v, want %v", err, want)
			}
			if _, err := wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
