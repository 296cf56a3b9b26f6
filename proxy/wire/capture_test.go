package wire_test

import "weir/proxy/wire"

// capture is a whole response and what the Scanner has to make of it.
type capture struct {
	name     string
	shape    wire.Shape
	response string

	kind     wire.Kind
	results  int
	columns  int
	rows     uint64
	status   wire.Status
	warnings uint16
	offsets  []int // of the status flags
}

// Column definitions with headers, for sequence numbers 2 and 3: d.t.id INT and d.t.v VARCHAR.
const (
	columnID = "1d000002 036465660164017401740269640269640c3f000b000000030350000000"
	columnV  = "1b000003 03646566016401740174017601760c2d0050000000fd0000000000"
)

// captures are what MySQL 9.7 and MariaDB 10.11 sent to a client without CLIENT_DEPRECATE_EOF. Where the two differ,
// the name says whose it is.
var captures = []capture{
	{"USE", wire.ShapeQuery, "07000001 00 00 00 0200 0000", wire.KindOK, 1, 0, 0, 0x02, 0, []int{7}},
	{"select of two rows with a NULL", wire.ShapeQuery,
		"01000001 02" + columnID + columnV + "05000004 fe00002200 06000005 0131036f6e65 03000006 0132fb 05000007 fe00002200",
		wire.KindResultSet, 1, 2, 2, 0x22, 0, []int{76, 102}},
	{"select of no rows", wire.ShapeQuery,
		"01000001 02" + columnID + columnV + "05000004 fe00000200 05000005 fe00000200",
		wire.KindResultSet, 1, 2, 0, 0x02, 0, []int{76, 85}},
	{"update", wire.ShapeQuery, "30000001 00 01 00 0200 0000 28 526f7773206d6174636865643a203120204368616e6765643a20" +
		"3120205761726e696e67733a2030", wire.KindOK, 1, 0, 0, 0x02, 0, []int{7}},
	{"unknown column, MySQL", wire.ShapeQuery,
		"2e000001 ff1e04233432533232556e6b6e6f776e20636f6c756d6e20276e6f70652720696e20276669656c64206c69737427",
		wire.KindError, 1, 0, 0, 0, 0, nil},
	{"two statements, the second with a warning", wire.ShapeQuery,
		"01000001 01 17000002 036465660000000131000c3f00020000000881000000 0005000003 fe00000a00 02000004 0131" +
			"05000005 fe00000a00 01000006 01 19000007 0364656600000003312f30000c3f0007000000f68000040000" +
			"05000008 fe00000200 01000009 fb 0500000a fe01000200",
		wire.KindResultSet, 2, 1, 1, 0x02, 1, []int{39, 54, 97, 111}},
	{"call of a procedure with two selects", wire.ShapeQuery,
		"01000001 01 17000002 036465660000000131000c3f00010000000381000000 0005000003 fe00000a00 02000004 0131" +
			"05000005 fe00000a00 01000006 01 17000007 036465660000000132000c3f00010000000381000000 0005000008 fe00000a00" +
			"02000009 0132 0500000a fe00000a00 0700000b 00 00 00 0200 0000",
		wire.KindOK, 3, 0, 0, 0x02, 0, []int{39, 54, 95, 110, 119}},
	{"error instead of the first row", wire.ShapeQuery,
		"01000001 02" + columnID + "2f000003 03646566000000192853454c454354203120554e494f4e2053454c454354203229000c" +
			"3f00030000000380000000 0005000004 fe00002200 29000005 ffda0423323130303053756271756572792072657475726e73" +
			"206d6f7265207468616e203120726f77",
		wire.KindError, 1, 2, 0, 0x22, 0, []int{96}},
	{"local file, and what comes after it", wire.ShapeQuery, "07000001 fb2f746d702f78 07000003 00 00 00 0200 0000",
		wire.KindOK, 1, 0, 0, 0x02, 0, []int{18}},
	{"prepare with a parameter and columns", wire.ShapePrepare,
		"0c000001 00 01000000 0200 0100 00 0000 17000002 0364656600000001 3f000c3f00000000000680000000 00" +
			"05000003 fe00000200 1d000004" + columnID[9:] + "1b000005" + columnV[9:] + "05000006 fe00000200",
		wire.KindPrepared, 1, 2, 0, 0x02, 0, []int{50, 123}},
	{"prepare with parameters only", wire.ShapePrepare,
		"0c000001 00 02000000 0000 0200 00 0000 17000002 0364656600000001 3f000c3f00000000000680000000 00" +
			"17000003 0364656600000001 3f000c3f00000000000680000000 00 05000004 fe00000200",
		wire.KindPrepared, 1, 0, 0, 0x02, 0, []int{77}},
	{"prepare with columns only", wire.ShapePrepare,
		"0c000001 00 03000000 0100 0000 00 0000 17000002 036465660000000131000c3f00010000000381000000 0005000003 fe00000200",
		wire.KindPrepared, 1, 1, 0, 0x02, 0, []int{50}},
	{"prepare with neither", wire.ShapePrepare, "0c000001 00 04000000 0000 0000 00 0000",
		wire.KindPrepared, 1, 0, 0, 0, 0, nil},
	{"prepare of something unknown", wire.ShapePrepare, "03000001 ff2804", wire.KindError, 1, 0, 0, 0, 0, nil},
	{"execute", wire.ShapeExecute,
		"01000001 02" + columnID + columnV + "05000004 fe00000200 08000005 0000010000000178 06000006 000802000000" +
			"05000007 fe00000200",
		wire.KindResultSet, 1, 2, 2, 0x02, 0, []int{76, 107}},
	{"execute that opens a cursor", wire.ShapeExecute, "01000001 02" + columnID + columnV + "05000004 fe00004200",
		wire.KindResultSet, 1, 2, 0, 0x42, 0, []int{76}},
	{"fetch of one row", wire.ShapeFetch, "08000001 0000010000000178 05000002 fe00004200",
		wire.KindResultSet, 1, 0, 1, 0x42, 0, []int{19}},
	{"fetch of the last row", wire.ShapeFetch, "06000001 000802000000 05000002 fe00008200",
		wire.KindResultSet, 1, 0, 1, 0x82, 0, []int{17}},
	{"fetch after the last row, MariaDB", wire.ShapeFetch,
		"2d000001 ff8d052348593030305468652073746174656d656e742028312920686173206e6f206f70656e20637572736f72",
		wire.KindError, 1, 0, 0, 0, 0, nil},
	{"field list", wire.ShapeFieldList,
		"1f000001 036465660164017401740269640269640c3f000b00000003035000000001 30 1c000002" + columnV[9:] + "fb" +
			"05000003 fe00000200",
		wire.KindResultSet, 1, 2, 0, 0x02, 0, []int{74}},
	{"ping", wire.ShapeSimple, "07000001 00 00 00 0200 0000", wire.KindOK, 1, 0, 0, 0x02, 0, []int{7}},
	{"set option", wire.ShapeSimple, "05000001 fe00000200", wire.KindOK, 1, 0, 0, 0x02, 0, []int{7}},
	{"unknown database", wire.ShapeSimple,
		"20000001 ff1904233432303030556e6b6e6f776e20646174616261736520276e6f706527", wire.KindError, 1, 0, 0, 0, 0, nil},
	{"statistics", wire.ShapeText, "0a000001 557074696d653a203230", wire.KindText, 1, 0, 0, 0, 0, nil},
}
