package wire_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"weir/proxy/wire"
)

// messageCase is a payload as MySQL 9.7 or MariaDB 10.11 sent it, or as the protocol pages lay it out, and its
// meaning. Decoding must give the message and appending the message the payload.
type messageCase struct {
	name    string
	payload string
	message any
}

// codec knows how to read and write one kind of message.
type codec struct {
	decode func([]byte) (any, error)
	append func(any) []byte
}

func messageCodec[M wire.Message](decode func([]byte) (M, error)) codec {
	return codec{
		decode: func(b []byte) (any, error) { return decode(b) },
		append: func(m any) []byte { return m.(M).Append(nil) },
	}
}

const everyAuth = wire.ClientPluginAuth | wire.ClientConnectAttrs | wire.ClientSecureConnection

var (
	handshakes = []messageCase{
		{"MySQL 9.7", "0a 392e372e342d3200 0a000000 7d21710f4a6b525b 00 ffff ff 0200 ffdf 15 00000000000000000000" +
			"2249133525600f06657a6164 00 63616368696e675f736861325f70617373776f726400",
			wire.Handshake{
				Version: "9.7.4-2", ConnectionID: 10, Capabilities: 0xdfffffff, Collation: 255,
				Status: wire.StatusAutocommit, Plugin: "caching_sha2_password",
				Scramble: []byte("}!q\x0fJkR[\"I\x135%`\x0f\x06ezad"),
			}},
		{"MariaDB 10.11 with extended capabilities",
			"0a 352e352e352d31302e31312e31392d4d617269614442 00 06000000 2431683a295c7455 00 fef7 08 0200 ff81 15" +
				"000000000000 1d000000 2c793f6b215f3b47346e4f7d 00 6d7973716c5f6e61746976655f70617373776f726400",
			wire.Handshake{
				Version: "5.5.5-10.11.19-MariaDB", ConnectionID: 6, Capabilities: 0x1d_81fff7fe, Collation: 8,
				Status: wire.StatusAutocommit, Plugin: "mysql_native_password",
				Scramble: []byte("$1h:)\\tU,y?k!_;G4nO}"),
			}},
		{"no plugins", "0a 352e3100 01000000 3132333435363738 00 0082 08 0200 0000 00 00000000000000000000" +
			"393031323334353637383930 00",
			wire.Handshake{
				Version: "5.1", ConnectionID: 1, Collation: 8, Status: wire.StatusAutocommit,
				Capabilities: wire.ClientProtocol41 | wire.ClientSecureConnection,
				Scramble:     []byte("12345678901234567890"),
			}},
	}
	responses = []messageCase{
		{"everything", "0982 3800 00000001 ff" + zeros23 + "617070 00 03 010203 73686f7000 706c7567696e 00 08 026f73 04756e6978",
			wire.HandshakeResponse{
				Capabilities: wire.ClientMySQL | wire.ClientConnectWithDB | wire.ClientProtocol41 | everyAuth |
					wire.ClientPluginAuthLenenc,
				MaxPacket: 1 << 24, Collation: 255, User: "app", Auth: []byte{1, 2, 3}, Database: "shop",
				Plugin: "plugin", Attributes: unix,
			}},
		{"length of authentication data in one byte", "0182 0800 00000001 2d" + zeros23 + "617070 00 03 fc0203 7000",
			wire.HandshakeResponse{
				Capabilities: wire.ClientMySQL | wire.ClientProtocol41 | wire.ClientSecureConnection | wire.ClientPluginAuth,
				MaxPacket:    1 << 24, Collation: 45, User: "app", Auth: []byte{0xfc, 2, 3}, Plugin: "p",
			}},
		{"password without SECURE_CONNECTION", "0102 0000 00000001 2d" + zeros23 + "617070 00 616200",
			wire.HandshakeResponse{
				Capabilities: wire.ClientMySQL | wire.ClientProtocol41, MaxPacket: 1 << 24, Collation: 45, User: "app",
				Auth: []byte("ab"),
			}},
		{"MariaDB client with extended capabilities", "0082 0000 00000001 2d" + zeros19 + "04000000 00 00",
			wire.HandshakeResponse{
				Capabilities: 1<<34 | wire.ClientProtocol41 | wire.ClientSecureConnection, MaxPacket: 1 << 24,
				Collation: 45, Auth: []byte{},
			}},
	}
	sslRequests = []messageCase{
		{"MySQL client", "05aa 0000 00000001 ff" + zeros23, wire.SSLRequest{Capabilities: 0xaa05, MaxPacket: 1 << 24, Collation: 255}},
	}
	authSwitches = []messageCase{
		{"native", "fe 6d7973716c5f6e61746976655f70617373776f7264 00 010203 00",
			wire.AuthSwitchRequest{Plugin: "mysql_native_password", Data: []byte{1, 2, 3, 0}}},
	}
	authMores = []messageCase{
		{"fast authentication succeeded", "01 03", wire.AuthMoreData{3}},
		{"public key", "01 2d2d2d2d2d", wire.AuthMoreData("-----")},
	}
	oks = []messageCase{
		{"login", "00 00 00 0200 0000", wire.OK{Status: wire.StatusAutocommit}},
		{"update with a text", "00 01 00 0200 0000 28 526f7773206d6174636865643a203120204368616e6765643a20312020" +
			"5761726e696e67733a2030",
			wire.OK{AffectedRows: 1, Status: wire.StatusAutocommit, Info: "Rows matched: 1  Changed: 1  Warnings: 0"}},
		{"USE, with session tracking", "00 00 00 0240 0000 00 07 01 05 04 73686f70", wire.OK{
			Status: wire.StatusAutocommit | wire.StatusSessionStateChanged, State: wire.TrackSchema("shop")}},
		{"large numbers", "00 fce803 fe0000000001000000 0300 0700",
			wire.OK{AffectedRows: 1000, LastInsertID: 1 << 32, Warnings: 7,
				Status: wire.StatusInTrans | wire.StatusAutocommit}},
	}
	eofs = []messageCase{
		{"end of rows", "fe 0100 2200",
			wire.EOF{Warnings: 1, Status: wire.StatusAutocommit | wire.StatusNoIndexUsed}},
	}
	errs = []messageCase{
		{"unknown column", "ff 1e04 23 3432533232 556e6b6e6f776e20636f6c756d6e",
			&wire.Error{Code: 1054, State: "42S22", Message: "Unknown column"}},
		{"no text", "ff 1304 23 3038533031", &wire.Error{Code: wire.CodeBadHandshake, State: "08S01"}},
	}
	columnCounts = []messageCase{
		{"one", "01", wire.ColumnCount(1)},
		{"251", "fcfb00", wire.ColumnCount(251)},
	}
	columns = []messageCase{
		{"integer", "03646566 0164 0174 0174 026964 026964 0c 3f00 0b000000 03 0350 00 0000",
			wire.Column{Schema: "d", Table: "t", OrgTable: "t", Name: "id", OrgName: "id", Collation: 63, Length: 11,
				Type: wire.TypeLong, Flags: 0x5003}},
		{"expression", "03646566 00 00 00 03312f30 00 0c 3f00 07000000 f6 8000 04 0000",
			wire.Column{Name: "1/0", Collation: 63, Length: 7, Type: wire.TypeNewDecimal, Flags: wire.ColumnBinary,
				Decimals: 4}},
	}
	rows = []messageCase{
		{"value and NULL", "0132 fb", wire.Row{[]byte("2"), nil}},
		{"empty string", "00 0131", wire.Row{[]byte{}, []byte("1")}},
	}
	prepareds = []messageCase{
		{"select", "00 01000000 0200 0100 00 0300",
			wire.Prepared{StatementID: 1, Columns: 2, Params: 1, Warnings: 3}},
	}
	changeUsers = []messageCase{
		{"everything", "11 6170700002 0102 73686f7000 0009 7000 08 026f73 04756e6978",
			wire.ChangeUser{User: "app", Auth: []byte{1, 2}, Database: "shop", Collation: 2304, Plugin: "p",
				Attributes: unix}},
	}
)

var unix = wire.Attributes{{Name: "os", Value: "unix"}}

const (
	zeros19 = "00000000000000000000000000000000000000"
	zeros23 = zeros19 + "00000000"
)

// codecs pairs each table with its decoder.
var codecs = []struct {
	message string
	cases   []messageCase
	codec   codec
}{
	{"Handshake", handshakes, messageCodec(wire.DecodeHandshake)},
	{"HandshakeResponse", responses, messageCodec(wire.DecodeHandshakeResponse)},
	{"SSLRequest", sslRequests, messageCodec(wire.DecodeSSLRequest)},
	{"AuthSwitchRequest", authSwitches, messageCodec(wire.DecodeAuthSwitchRequest)},
	{"AuthMoreData", authMores, messageCodec(wire.DecodeAuthMoreData)},
	{"OK", oks, messageCodec(wire.DecodeOK)},
	{"EOF", eofs, messageCodec(wire.DecodeEOF)},
	{"Error", errs, messageCodec(wire.DecodeError)},
	{"ColumnCount", columnCounts, messageCodec(wire.DecodeColumnCount)},
	{"Column", columns, messageCodec(wire.DecodeColumn)},
	{"Row", rows, rowCodec},
	{"Prepared", prepareds, messageCodec(wire.DecodePrepared)},
	{"ChangeUser", changeUsers, changeUserCodec},
}

// rowCodec reads rows of two columns.
var rowCodec = messageCodec(func(b []byte) (wire.Row, error) { return wire.DecodeRow(nil, b, 2) })

var changeUserCodec = codec{
	decode: func(b []byte) (any, error) { return wire.DecodeChangeUser(b, everyAuth) },
	append: func(m any) []byte { return m.(wire.ChangeUser).AppendFor(nil, everyAuth) },
}

func TestMessages(t *testing.T) {
	for _, c := range codecs {
		for _, tc := range c.cases {
			t.Run(c.message+"/"+tc.name, func(t *testing.T) {
				payload := unhex(t, tc.payload)
				got, err := c.codec.decode(payload)
				if err != nil || !reflect.DeepEqual(got, tc.message) {
					t.Errorf("decoded %+v, %v, want %+v", got, err, tc.message)
				}
				if b := c.codec.append(tc.message); !bytes.Equal(b, payload) {
					t.Errorf("appended % x, want % x", b, payload)
				}
			})
		}
	}
}

// optionalEnd says how many bytes at the end of a table's messages may be missing without an error.
var optionalEnd = map[string]bool{
	"OK": true, "Error": true, "AuthMoreData": true, "AuthSwitchRequest": true,
	"HandshakeResponse": true, "Handshake": true, "ChangeUser": true,
}

// TestCutShort cuts every message at every place: an error that wraps ErrMalformed, unless what is missing is
// optional, and never a panic.
func TestCutShort(t *testing.T) {
	for _, c := range codecs {
		for _, tc := range c.cases {
			payload := unhex(t, tc.payload)
			for n := range payload {
				_, err := c.codec.decode(payload[:n:n])
				switch {
				case err == nil && n > 0 && optionalEnd[c.message]:
				case err == nil:
					t.Errorf("%s %s: no error for its first %d bytes", c.message, tc.name, n)
				case !errors.Is(err, wire.ErrMalformed):
					t.Errorf("%s %s: error %q for its first %d bytes", c.message, tc.name, err, n)
				}
			}
		}
	}
}

// TestTolerated: forms that servers accept, or that some servers send.
func TestTolerated(t *testing.T) {
	noEnd := unhex(t, "0982 3800 00000001 ff"+zeros23+"617070 00 00 73686f70")
	tests := []struct {
		name    string
		codec   codec
		payload []byte
		want    any
	}{
		{"database without zero, no plugin, no attributes", messageCodec(wire.DecodeHandshakeResponse), noEnd,
			wire.HandshakeResponse{Capabilities: 0x388209, MaxPacket: 1 << 24, Collation: 255, User: "app",
				Auth: []byte{}, Database: "shop"}},
		{"change of user without collation", changeUserCodec, unhex(t, "11 61707000 00 00"),
			wire.ChangeUser{User: "app", Auth: []byte{}}},
		{"error without SQLSTATE", messageCodec(wire.DecodeError), unhex(t, "ff 1004 546f6f"),
			&wire.Error{Code: wire.CodeTooManyConnections, Message: "Too"}},
		{"text of an OK packet without length", messageCodec(wire.DecodeOK), unhex(t, "00 00 00 0200 0000 526f7773"),
			wire.OK{Status: wire.StatusAutocommit, Info: "Rows"}},
		{"OK packet in place of an EOF packet", messageCodec(wire.DecodeOK), unhex(t, "fe 00 00 0200 0100"),
			wire.OK{Status: wire.StatusAutocommit, Warnings: 1}},
		{"default value in the response to COM_FIELD_LIST", messageCodec(wire.DecodeColumn),
			unhex(t, "03646566 00 00 00 00 00 0c 3f00 0b000000 03 0350 00 0000 0130"),
			wire.Column{Collation: 63, Length: 11, Type: wire.TypeLong, Flags: 0x5003, Default: []byte("0")}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tc.codec.decode(tc.payload)
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("decoded %+v, %v, want %+v", got, err, tc.want)
			}
		})
	}
}

// TestRefused: input that is complete and wrong.
func TestRefused(t *testing.T) {
	tests := []struct {
		name    string
		codec   codec
		payload string
		want    error
	}{
		{"handshake of another protocol", messageCodec(wire.DecodeHandshake), "0b 00", wire.ErrMalformed},
		{"client before MySQL 4.1", messageCodec(wire.DecodeHandshakeResponse), "8524 000000 6f6c6400 00", wire.ErrOldProtocol},
		{"attributes that overrun their length", messageCodec(wire.DecodeHandshakeResponse),
			"0082 1000 00000001 2d" + zeros23 + "00 00 03 026f73", wire.ErrMalformed},
		{"switch to the password from before MySQL 4.1", messageCodec(wire.DecodeAuthSwitchRequest), "fe", wire.ErrMalformed},
		{"OK with another header", messageCodec(wire.DecodeOK), "01 00 00 0200 0000", wire.ErrMalformed},
		{"EOF of nine bytes", messageCodec(wire.DecodeEOF), "fe 0000000000000000", wire.ErrMalformed},
		{"ERR with another header", messageCodec(wire.DecodeError), "00 1304", wire.ErrMalformed},
		{"no columns", messageCodec(wire.DecodeColumnCount), "00", wire.ErrMalformed},
		{"more columns than a server can have", messageCodec(wire.DecodeColumnCount), "fd000001", wire.ErrMalformed},
		{"a row of three columns for two", rowCodec, "00 00 00", wire.ErrMalformed},
		{"prepared statement with an error's header", messageCodec(wire.DecodePrepared), "ff 01000000 0200 0100 00 0300",
			wire.ErrMalformed},
		{"another command", changeUserCodec, "03 00 00 00", wire.ErrMalformed},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := tc.codec.decode(unhex(t, tc.payload)); !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
		})
	}
}

func TestIsSSLRequest(t *testing.T) {
	tests := []struct {
		name, payload string
		want          bool
	}{
		{"request", sslRequests[0].payload, true},
		{"login of a client that asked for TLS", sslRequests[0].payload + "00", false},
		{"same length without the flag", "05a2 0000 00000001 ff" + zeros23, false},
	}
	for _, tc := range tests {
		if got := wire.IsSSLRequest(unhex(t, tc.payload)); got != tc.want {
			t.Errorf("%s: %t, want %t", tc.name, got, tc.want)
		}
	}
}

func TestOtherForms(t *testing.T) {
	tests := []struct {
		name string
		got  []byte
		want string
	}{
		{"OK as EOF", wire.OK{Status: 2, Warnings: 1}.AppendAsEOF(nil), "fe 00 00 0200 0100"},
		{"error before the handshake", wire.Errorf(wire.CodeTooManyConnections, "Too").AppendBare(nil), "ff 1004 546f6f"},
		{"error without a state of its own", (&wire.Error{Code: 1045}).Append(nil), "ff 1504 23 3238303030"},
		{"scramble that is too short", wire.Handshake{Capabilities: wire.ClientSecureConnection, Scramble: []byte("ab")}.Append(nil),
			"0a 00 00000000 6162000000000000 00 0080 00 0000 0000 00 00000000000000000000 00000000000000000000000000"},
	}
	for _, tc := range tests {
		if !bytes.Equal(tc.got, unhex(t, tc.want)) {
			t.Errorf("%s: % x, want %s", tc.name, tc.got, tc.want)
		}
	}
}

func TestState(t *testing.T) {
	tests := map[wire.Code]string{
		1040: "08004", 1043: "08S01", 1044: "42000", 1045: "28000", 1046: "3D000", 1047: "08S01", 1049: "42000",
		1053: "08S01", 1064: "42000", 1094: "HY000", 1105: "HY000", 1142: "42000", 1146: "42S02", 1153: "08S01",
		1158: "08S01", 1159: "08S01", 1160: "08S01", 1161: "08S01", 1213: "40001", 1226: "42000", 1235: "42000",
		1251: "08004", 1290: "HY000", 1317: "70100", 1792: "25006", 2013: "HY000", 9999: "HY000",
	}
	for code, want := range tests {
		if got := code.State(); got != want {
			t.Errorf("state of %d is %s, want %s", code, got, want)
		}
	}
}

func TestTexts(t *testing.T) {
	tests := []struct {
		got, want string
	}{
		{wire.Errorf(wire.CodeAccessDenied, "Access denied for user '%s'", "app").Error(),
			"server error 1045 (28000): Access denied for user 'app'"},
		{(&wire.Error{Code: wire.CodeTooManyConnections, Message: "Too many connections"}).Error(),
			"server error 1040: Too many connections"},
		{(&wire.TooLargeError{Size: 5, Limit: 4}).Error(), "packet too large: 5 bytes or more, allowed are 4"},
		{(&wire.SequenceError{Got: 32, Want: 1}).Error(), "packet has sequence number 32 instead of 1: " +
			"a packet was lost, or the peer does not speak the MySQL protocol"},
		{wire.Command(0x70).String(), "command 0x70"},
	}
	for _, tc := range tests {
		if tc.got != tc.want {
			t.Errorf("text %q, want %q", tc.got, tc.want)
		}
	}
}

func TestAttributesGet(t *testing.T) {
	a := append(slices.Clone(unix), wire.Attribute{Name: "os", Value: "other"})
	if got := a.Get("os"); got != "unix" {
		t.Errorf("os is %q, want unix", got)
	}
	if got := a.Get("pid"); got != "" {
		t.Errorf("pid is %q, want nothing", got)
	}
}

// TestExtendedColumn: a JSON column with MariaDB's extended metadata.
func TestExtendedColumn(t *testing.T) {
	b := unhex(t, "03646566 00 0174 0174 026a73 026a73 06 01 04 6a736f6e 0c 2d00 ffffffff fc 9010 00 0000")
	got, err := wire.DecodeExtendedColumn(b)
	want := wire.Column{Table: "t", OrgTable: "t", Name: "js", OrgName: "js", Collation: 45, Length: 1<<32 - 1, Type: 0xfc, Flags: 0x1090}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if c, err := wire.DecodeColumn(b); err == nil {
		t.Errorf("decoded as one without: %+v", c)
	}
}
