package wire

// Result is a whole result set in the text protocol, for what a proxy answers itself.
type Result struct {
	Columns  []Column
	Rows     []Row
	Status   Status
	Warnings uint16
}

// AppendPackets adds the result in the classic format, with EOF packets, as the response whose first sequence number
// is seq. It returns the sequence number after the last one used. A result has at least one column.
func (r Result) AppendPackets(dst []byte, seq uint8) ([]byte, uint8) {
	eof := EOF{Warnings: r.Warnings, Status: r.Status}
	dst, seq = AppendPacket(dst, seq, ColumnCount(len(r.Columns)))
	for _, c := range r.Columns {
		dst, seq = AppendPacket(dst, seq, c)
	}
	dst, seq = AppendPacket(dst, seq, eof)
	for _, row := range r.Rows {
		dst, seq = AppendPacket(dst, seq, row)
	}
	return AppendPacket(dst, seq, eof)
}
