package wire

import "fmt"

// Shape is what the response to a command may look like.
type Shape uint8

// Shapes. [ResponseTo] gives the one that goes with a command.
const (
	// ShapeNone: there is no response.
	ShapeNone Shape = iota
	// ShapeQuery: results in the text protocol, OK, ERR, or a request for a local file.
	ShapeQuery
	// ShapeExecute: the same in the binary protocol; a result ends after its columns if a cursor was opened.
	ShapeExecute
	// ShapePrepare: [Prepared] with parameters and columns.
	ShapePrepare
	// ShapeFetch: rows of a cursor.
	ShapeFetch
	// ShapeFieldList: column definitions.
	ShapeFieldList
	// ShapeSimple: OK, ERR, or an EOF packet in place of OK, as for COM_SET_OPTION and COM_DEBUG.
	ShapeSimple
	// ShapeText: one packet with a text, as for COM_STATISTICS.
	ShapeText
)

// Kind is what a response turned out to be.
type Kind uint8

// Kinds of responses.
const (
	// KindNone: nothing has arrived.
	KindNone Kind = iota
	KindOK
	KindError
	// KindResultSet: columns, and rows unless a cursor holds them.
	KindResultSet
	// KindLocalInfile: the server waits for a file of the client's, which ends with an empty packet.
	KindLocalInfile
	// KindPrepared: the response to COM_STMT_PREPARE.
	KindPrepared
	// KindText: the response to COM_STATISTICS.
	KindText
)

// String gives a name for messages.
func (k Kind) String() string {
	names := [...]string{"nothing", "OK", "error", "result set", "local file request", "prepared statement", "text"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}
