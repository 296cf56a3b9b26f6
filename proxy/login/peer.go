package login

import (
	"net"

	"weir/proxy/wire"
)

// packetLimit is the largest packet of a connection phase, in bytes. Connection attributes may take up to 64 KiB in
// all; no client comes close.
const packetLimit = 64 << 10

// peer is the other side of a connection phase. The two take turns and count their packets together.
type peer struct {
	conn   net.Conn
	reader *wire.Reader
}

func newPeer(conn net.Conn) peer { return peer{conn: conn, reader: wire.NewReader(conn)} }

// send writes the messages in one go.
func (p peer) send(messages ...wire.Message) error {
	var out []byte
	seq := p.reader.Sequence()
	for _, m := range messages {
		out, seq = wire.AppendPacket(out, seq, m)
	}
	_, err := p.conn.Write(out)
	p.reader.Expect(seq)
	return err
}

// receive reads one message. It is valid until the next receive or send.
func (p peer) receive() ([]byte, error) { return p.reader.ReadPacket(packetLimit) }

// exchange sends a message and reads the answer.
func (p peer) exchange(m wire.Message) ([]byte, error) {
	if err := p.send(m); err != nil {
		return nil, err
	}
	return p.receive()
}
