package wire

import "bytes"

// AuthSwitchRequest asks a client to authenticate with another plugin. Its response is a [Payload]. Protocol page
// "Protocol::AuthSwitchRequest".
type AuthSwitchRequest struct {
	Plugin string
	// Data is the plugin's random data. Servers end it with a zero byte, which is part of Data here: whether it
	// belongs to the plugin's data cannot be told from the packet.
	Data []byte
}

// Append implements [Message].
func (m AuthSwitchRequest) Append(dst []byte) []byte {
	dst = append(append(append(dst, HeaderAuthSwitch), m.Plugin...), 0)
	return append(dst, m.Data...)
}

// DecodeAuthSwitchRequest decodes a switch. A packet without a plugin's name is that of servers and accounts from
// before MySQL 4.1 and an error.
func DecodeAuthSwitchRequest(payload []byte) (AuthSwitchRequest, error) {
	f := fields{message: "auth switch request", rest: payload}
	if h := f.uint8("header"); f.failed == "" && h != HeaderAuthSwitch {
		return AuthSwitchRequest{}, malformed("decode auth switch request: its first byte is 0x%02x", h)
	}
	m := AuthSwitchRequest{Plugin: f.nulString("plugin name")}
	m.Data = bytes.Clone(f.remaining())
	return m, f.err()
}

// AuthMoreData is what a plugin's server side sends in the middle of an authentication. What a client sends back is a
// [Payload]. Protocol page "Protocol::AuthMoreData".
type AuthMoreData []byte

// Append implements [Message].
func (m AuthMoreData) Append(dst []byte) []byte { return append(append(dst, HeaderAuthMore), m...) }

// DecodeAuthMoreData decodes a plugin's data. The result is a part of payload.
func DecodeAuthMoreData(payload []byte) (AuthMoreData, error) {
	if len(payload) == 0 || payload[0] != HeaderAuthMore {
		return nil, malformed("decode auth data: % x is none", payload[:min(len(payload), 1)])
	}
	return AuthMoreData(payload[1:]), nil
}
