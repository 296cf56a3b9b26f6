package proof

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache/dep"
	"weir/deployments/sandbox"
)

// image is a value as a row event has it.
type image struct {
	null bool
	raw  []byte
}

// stored is what the binlog has of the tables of two columns, id and c.
type stored struct {
	fields map[string]dep.Field
	images map[string]map[int]image // by table and id
}

// readBinlog reads the server's first binlog file up to a row of the table that is called end.
func (s session) readBinlog(server *sandbox.Server) stored {
	all := stored{map[string]dep.Field{}, map[string]map[int]image{}}
	syncer := replication.NewBinlogSyncer(replication.BinlogSyncerConfig{
		ServerID: 4711, Flavor: map[sandbox.Flavor]string{sandbox.MySQL: "mysql", sandbox.MariaDB: "mariadb"}[server.Flavor],
		Host: "127.0.0.1", Port: uint16(server.Port), User: server.Root.User, Password: server.Root.Password,
		Logger:              slog.New(slog.DiscardHandler),
		RowsEventDecodeFunc: all.add,
	})
	defer syncer.Close()
	first := s.query("SHOW BINARY LOGS")[0][0]
	stream, err := syncer.StartSync(mysql.Position{Name: first, Pos: 4})
	if err != nil {
		s.Fatal(err)
	}
	for {
		e, err := stream.GetEvent(context.Background())
		if err != nil {
			s.Fatal(err)
		}
		if rows, ok := e.Event.(*replication.RowsEvent); ok && string(rows.Table.Table) == "end" {
			return all
		}
	}
}

// add takes the rows of a Write_rows event apart.
func (all stored) add(e *replication.RowsEvent, data []byte) error {
	at, err := e.DecodeHeader(data)
	if err != nil {
		return err
	}
	table, field := string(e.Table.Table), dep.Field{Code: e.Table.ColumnType[1], Meta: e.Table.ColumnMeta[1]}
	if e.ColumnCount != 2 {
		return fmt.Errorf("%s has %d columns, expected id and c", table, e.ColumnCount)
	}
	all.fields[table] = field
	if all.images[table] == nil {
		all.images[table] = map[int]image{}
	}
	for rest := data[at:]; len(rest) >= 5; {
		nulls, id := rest[0], int(binary.LittleEndian.Uint32(rest[1:]))
		rest = rest[5:]
		if nulls&2 != 0 {
			all.images[table][id] = image{null: true}
			continue
		}
		prefix, size := extent(field, rest)
		all.images[table][id] = image{raw: rest[prefix : prefix+size]}
		rest = rest[prefix+size:]
	}
	return nil
}

// extent gives the bytes of a value's length, and the length.
func extent(f dep.Field, data []byte) (prefix, size int) {
	switch f.Code {
	case mysql.MYSQL_TYPE_TINY:
		return 0, 1
	case mysql.MYSQL_TYPE_SHORT:
		return 0, 2
	case mysql.MYSQL_TYPE_INT24, mysql.MYSQL_TYPE_DATE:
		return 0, 3
	case mysql.MYSQL_TYPE_LONG:
		return 0, 4
	case mysql.MYSQL_TYPE_LONGLONG:
		return 0, 8
	case mysql.MYSQL_TYPE_NEWDECIMAL:
		digits, scale := int(f.Meta>>8), int(f.Meta&0xff)
		return 0, packed(digits-scale) + packed(scale)
	case mysql.MYSQL_TYPE_DATETIME2:
		return 0, 5 + (int(f.Meta)+1)/2
	case mysql.MYSQL_TYPE_STRING:
		if byte(f.Meta>>8) == mysql.MYSQL_TYPE_ENUM {
			return 0, int(f.Meta & 0xff)
		}
		return counted(data, 1+min(1, int(f.Meta>>8&0x30^0x30)))
	case mysql.MYSQL_TYPE_VARCHAR:
		return counted(data, 1+min(1, int(f.Meta>>8)))
	case mysql.MYSQL_TYPE_BLOB:
		return counted(data, int(f.Meta))
	}
	panic("no extent is known for a field of code " + strconv.Itoa(int(f.Code)))
}

func counted(data []byte, prefix int) (int, int) {
	var b [8]byte
	copy(b[:], data[:prefix])
	return prefix, int(binary.LittleEndian.Uint64(b[:]))
}

func packed(digits int) int { return digits/9*4 + []int{0, 1, 1, 2, 2, 3, 3, 4, 4}[digits%9] }
