package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/mysql"
	"github.com/go-mysql-org/go-mysql/replication"

	"weir/cache/dep"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// shapeText writes a shape: columns with the names of their types, and a collation that is not utf8mb4_bin, keys with those of their columns.
func shapeText(s *dep.Shape) string {
	if s == nil {
		return "unknown"
	}
	var words []string
	for _, c := range s.Columns {
		word := c.Name + ":" + c.Type.Name
		if c.Type.Unsigned {
			word += ":unsigned"
		}
		if c.Type.Collation != "" && c.Type.Collation != "utf8mb4_bin" {
			word += ":" + c.Type.Collation
		}
		if c.Virtual {
			word += ":virtual"
		}
		words = append(words, word)
	}
	for _, k := range s.Keys {
		words = append(words, keyText(s, k))
	}
	return strings.Join(words, " ")
}

func keyText(s *dep.Shape, k dep.Key) string {
	var columns []string
	for _, at := range k.Columns {
		columns = append(columns, s.Columns[at].Name)
	}
	kind := "key"
	if k.Primary {
		kind = "primary"
	} else if k.Unique {
		kind = "unique"
	}
	return kind + "(" + strings.Join(columns, ",") + ")"
}

// shapeCase is a table, what must be known of it, and a row for it. What its row events have beside the columns that
// are known is in hidden.
type shapeCase struct {
	name, create, want, row string
	hidden                  int
}

var shapeCases = map[sandbox.Flavor][]shapeCase{"": {
	{"numbers", "(Id BIGINT UNSIGNED PRIMARY KEY, t TINYINT, s SMALLINT UNSIGNED, m MEDIUMINT, i INT, d DECIMAL(9,2), f FLOAT, g DOUBLE, b BIT(3), o BOOL)",
		"id:bigint:unsigned t:tinyint s:smallint:unsigned m:mediumint i:int d:decimal f:float g:double b:bit o:tinyint primary(id)", "(1,2,3,4,5,6,7,8,1,0)", 0},
	{"texts", "(c CHAR(5), v VARCHAR(5), x TEXT, l LONGTEXT, n BINARY(5), w VARBINARY(5), z BLOB, e ENUM('a','b'), s SET('a','b'), j JSON, KEY (v), UNIQUE (e, c))",
		"c:char v:varchar x:text l:longtext n:binary w:varbinary z:blob e:enum s:set j:JSON unique(e,c) key(v)", "('a','b','c','d','e','f','g','a','b','{}')", 0},
	{"collations", "(a VARCHAR(5), b VARCHAR(5) CHARACTER SET latin1, c CHAR(5) COLLATE utf8mb4_unicode_ci, e ENUM('a') COLLATE utf8mb4_general_ci)",
		"a:varchar b:varchar:latin1_swedish_ci c:char:utf8mb4_unicode_ci e:enum:utf8mb4_general_ci", "('a','b','c','a')", 0},
	{"times", "(d DATE, m DATETIME(3), s TIMESTAMP NULL, t TIME, y YEAR, g POINT, PRIMARY KEY (m, d))",
		"d:date m:datetime s:timestamp t:time y:year g:point primary(m,d)", "('2020-01-01','2020-01-01 01:02:03','2020-01-01',NULL,2020,NULL)", 0},
	{"computed", "(id INT PRIMARY KEY, v INT AS (id + 1) VIRTUAL, s INT AS (id + 2) STORED, z INT, UNIQUE (s))",
		"id:int v:int:virtual s:int z:int primary(id) unique(s)", "(1,DEFAULT,DEFAULT,4)", 0},
	{"invisible", "(id INT PRIMARY KEY, hidden INT DEFAULT 3 INVISIBLE, z INT)", "id:int hidden:int z:int primary(id)", "(1,2)", 0},
	{"parts", "(id INT PRIMARY KEY, a INT) PARTITION BY HASH (id) PARTITIONS 3", "id:int a:int primary(id)", "(1,2)", 0},
	{"myisam", "(a INT, v INT AS (a + 1) VIRTUAL, b INT, KEY (b)) ENGINE = MyISAM", "a:int v:int:virtual b:int key(b)", "(1,DEFAULT,2)", 0},
	{"prefix", "(a VARCHAR(20), b TEXT, c INT, PRIMARY KEY (a(5)), UNIQUE (c, b(5)), UNIQUE (c), KEY (b(9)))", "a:varchar b:text c:int unique(c)", "('a','b',1)", 0},
	{"nokeys", "(B INT, A INT)", "b:int a:int", "(1,2)", 0},
	{"full", "(id INT PRIMARY KEY, t TEXT, p POINT NOT NULL, FULLTEXT (t), SPATIAL KEY (p))", "id:int t:text p:point primary(id) key(t)", "(1,'a',POINT(1,2))", 0},
	{"letters", "(`Größe` INT, `日本` INT, `a b``c` INT, `ПОЛЕ` INT, UNIQUE `Ü 1` (`größe`, `поле`))", "größe:int 日本:int a b`c:int поле:int unique(größe,поле)", "(1,2,3,4)", 0},
}, sandbox.MySQL: {
	{"generated", "(a INT, b INT)", "my_row_id:bigint:unsigned a:int b:int primary(my_row_id)", "(1,2)", 0},
	{"functional", "(id INT PRIMARY KEY, z INT, KEY ((z + 1)), UNIQUE ((z * 2), id), UNIQUE (z DESC))", "id:int z:int primary(id) unique(z)", "(1,2)", 0},
	{"multivalued", "(id INT PRIMARY KEY, j JSON, KEY ((CAST(j->'$.a' AS UNSIGNED ARRAY))))", "id:int j:json primary(id)", `(1,'{"a":[1]}')`, 0},
	{"unseen", "(id INT, z INT, UNIQUE (id) INVISIBLE)", "id:int z:int unique(id)", "(1,2)", 0},
	{"vectors", "(id INT PRIMARY KEY, v VECTOR(3))", "id:int v:vector primary(id)", "(1,NULL)", 0},
}, sandbox.MariaDB: {
	{"longunique", "(id INT PRIMARY KEY, b TEXT, z INT, UNIQUE (b))", "id:int b:text z:int primary(id) unique(b)", "(1,'a',2)", 1},
	{"versioned", "(id INT PRIMARY KEY, z INT) WITH SYSTEM VERSIONING", "unknown", "(1,2)", 4},
	{"period", "(id INT, a DATE, e DATE, PERIOD FOR p (a, e), UNIQUE (id, p WITHOUT OVERLAPS))", "id:int a:date e:date unique(id,e,a)", "(1,'2020-01-01','2020-02-01')", 0},
	{"compressed", "(id INT, b TEXT COMPRESSED, c VARCHAR(99) COMPRESSED)", "id:int b:text c:varchar", "(1,NULL,NULL)", 0},
	{"ignored", "(id INT, a INT, UNIQUE (a) IGNORED)", "id:int a:int unique(a)", "(1,2)", 0},
	{"addresses", "(u UUID, a INET6, PRIMARY KEY (u))", "u:uuid a:inet6 primary(u)", "(UUID(),NULL)", 0},
	{"aria", "(id INT PRIMARY KEY) ENGINE = Aria", "id:int primary(id)", "(1)", 0},
}}

// TestShapes compares what is known of tables of each kind with how they were made, and with what row events have.
func TestShapes(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		server := sandboxtest.Server(t, sandbox.Options{Flavor: flavor})
		if err := server.CreateUser(t.Context(), "weir", "secret", grantedToWeir); err != nil {
			t.Fatal(err)
		}
		sandboxtest.Exec(t, server, "CREATE DATABASE s CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
		cases := append(shapeCases[""], shapeCases[flavor]...)
		start, err := server.Position(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			generate := "SET @unused = 0"
			if c.name == "generated" {
				generate = "SET SESSION sql_generate_invisible_primary_key = ON"
			}
			onOneConnection(t, server, generate, "CREATE TABLE s."+c.name+" "+c.create, "INSERT INTO s."+c.name+" VALUES "+c.row)
		}
		snapshot := load(t, loginAs(t, server, "weir", "secret"))
		events := tableMaps(t, flavor, server, start, len(cases))
		for _, c := range cases {
			shape := snapshot.Relation(nameOf("s." + c.name)).Shape
			if got := shapeText(shape); got != strings.ReplaceAll(c.want, "JSON", jsonName(flavor)) {
				t.Errorf("%s is %s, want %s", c.name, got, c.want)
			}
			known := 0
			if shape != nil {
				known = len(shape.Columns)
			}
			if got := events[c.name]; got != known+c.hidden {
				t.Errorf("%s: row events have %d columns, want %d and %d hidden ones", c.name, got, known, c.hidden)
			}
		}
		if a, b := snapshot.Relation(nameOf("s.nokeys")).Shape, snapshot.Relation(nameOf("s.generated")).Shape; a == nil || a == b {
			t.Error("tables that differ share a shape")
		}
	})
}

func jsonName(flavor sandbox.Flavor) string {
	if flavor == sandbox.MariaDB {
		return "longtext"
	}
	return "json"
}

func onOneConnection(t *testing.T, server *sandbox.Server, statements ...string) {
	t.Helper()
	conn, err := sandboxtest.RootDB(t, server, "").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, sql := range statements {
		if _, err := conn.ExecContext(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// tableMaps reads so many table map events and returns how many columns each table has in them.
func tableMaps(t *testing.T, flavor sandbox.Flavor, server *sandbox.Server, start sandbox.Position, want int) map[string]int {
	t.Helper()
	host, port, err := net.SplitHostPort(server.Config("weir", "secret", "").Addr)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	syncer := replication.NewBinlogSyncer(replication.BinlogSyncerConfig{
		ServerID: 4711, Flavor: strings.ToLower(string(flavor)), Host: host, Port: uint16(number), User: "weir", Password: "secret",
		Logger: slog.New(slog.DiscardHandler),
	})
	defer syncer.Close()
	stream, err := syncer.StartSync(gomysql.Position{Name: start.File, Pos: uint32(start.Pos)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("not all events came"))
	defer cancel()
	columns := map[string]int{}
	for len(columns) < want {
		event, err := stream.GetEvent(ctx)
		if err != nil {
			t.Fatal(fmt.Errorf("after %v: %w", columns, err))
		}
		if m, is := event.Event.(*replication.TableMapEvent); is {
			columns[string(m.Table)] = int(m.ColumnCount)
		}
	}
	return columns
}
