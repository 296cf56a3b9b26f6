package replicator

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
)

// maxInflated bounds what one compressed event may unpack to. The servers cut a statement's rows into events of
// binlog_row_event_max_size, 8 KiB, so that only a single row can be large.
const maxInflated = 64 << 20

// inflater unpacks the rows of MariaDB's compressed events. The result is valid until the next call.
type inflater struct {
	zlib io.ReadCloser // resettable
	out  bytes.Buffer
}

// inflate reads what log_event.cc of MariaDB writes (binlog_buf_compress): a byte of which the low three bits are the
// number of bytes of the size, and the three from bit 4 on the algorithm, 0 for zlib; the size of what was compressed,
// the high byte first; and a zlib stream. go-mysql's function for it believes the size before it has looked.
func (f *inflater) inflate(data []byte) ([]byte, error) {
	size, packed, err := inflatedSize(data)
	if err != nil {
		return nil, err
	}
	if err := f.reset(bytes.NewReader(packed)); err != nil {
		return nil, err
	}
	f.out.Reset()
	n, err := io.Copy(&f.out, io.LimitReader(f.zlib, int64(size)+1))
	if err == nil && n != int64(size) {
		err = fmt.Errorf("compressed rows are %d bytes, not %d", n, size)
	}
	return f.out.Bytes(), err
}

func inflatedSize(data []byte) (size int, packed []byte, err error) {
	if len(data) == 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	n := int(data[0] & 0x07)
	if algorithm := data[0] >> 4 & 0x07; algorithm != 0 || n == 0 || n > 4 || len(data) < 1+n {
		return 0, nil, fmt.Errorf("compressed rows with header %#x", data[0])
	}
	for _, b := range data[1 : 1+n] {
		size = size<<8 | int(b)
	}
	if size > maxInflated {
		return 0, nil, fmt.Errorf("compressed rows of %d bytes", size)
	}
	return size, data[1+n:], nil
}

func (f *inflater) reset(packed io.Reader) (err error) {
	if f.zlib == nil {
		f.zlib, err = zlib.NewReader(packed)
		return err
	}
	return f.zlib.(zlib.Resetter).Reset(packed, nil)
}
