package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// driver is one way in which programs speak to a server.
type driver struct {
	name string
	open opening
	// binary: what is prepared goes by the binary protocol. Other drivers put the values into the text themselves.
	binary bool
	// textless: even what is not prepared goes by the binary protocol.
	textless bool
	// unprepared: the driver knows nothing of values.
	unprepared bool
	// noJSON: the driver cannot read MySQL's JSON type.
	noJSON bool
}

// Python and Ruby come with the system, and their drivers with them; another interpreter that stands first in PATH does
// not find those.
var drivers = []driver{
	{name: "go", open: inProcess(func(*mysql.Config) {}), binary: true},
	{name: "go_interpolating", open: inProcess(func(c *mysql.Config) { c.InterpolateParams = true })},
	{name: "go_parsing_time", binary: true, open: inProcess(func(c *mysql.Config) {
		c.ParseTime, c.Collation, c.Params = true, "utf8mb4_unicode_ci", map[string]string{"time_zone": "'+02:00'"}
	})},
	{name: "node_mysql2", open: program("node node_mysql2.js"), binary: true},
	{name: "node_mariadb", open: program("node node_mariadb.js"), binary: true},
	{name: "node_sequelize", open: program("node node_sequelize.js"), binary: true},
	{name: "node_prisma", open: program("node node_prisma.js"), binary: true},
	{name: "java_mariadb", open: program("java -cp /usr/share/java/mariadb-java-client.jar MariaDB.java")},
	{name: "java_mariadb_preparing", binary: true, open: program("java -cp /usr/share/java/mariadb-java-client.jar MariaDB.java", "useServerPrepStmts=true")},
	{name: "php_mysqli", open: program("php mysqli.php"), binary: true},
	{name: "php_pdo", open: program("php pdo.php")},
	{name: "php_pdo_native", open: program("php pdo_native.php"), binary: true, textless: true},
	{name: "python_pymysql", open: program("/usr/bin/python3 pymysql_driver.py")},
	{name: "python_mysqldb", open: program("/usr/bin/python3 mysqldb_driver.py")},
	{name: "python_sqlalchemy", open: program("/usr/bin/python3 sqlalchemy_driver.py")},
	{name: "odbc", open: program("/usr/bin/python3 odbc_driver.py"), binary: true, textless: true, noJSON: true},
	{name: "perl_dbd_mysql", open: program("perl dbi.pl", "mysql"), binary: true},
	{name: "perl_dbd_mariadb", open: program("perl dbi.pl", "MariaDB"), binary: true},
	{name: "ruby_mysql2", open: program("/usr/bin/ruby mysql2.rb"), binary: true},
	{name: "command_line", open: program("./command_line.sh"), unprepared: true},
}

// TestPitfall43Drivers: programs that speak through real drivers see through Weir what they see on the server, and get
// hits.
func TestPitfall43Drivers(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newSource(t, sandbox.Options{Flavor: flavor, Extra: []string{"--interactive-timeout=12345"}})
		for _, d := range drivers {
			w.fillWithKinds(d.name)
			if d.noJSON {
				sandboxtest.Exec(t, w.source, "ALTER TABLE "+d.name+".kinds DROP COLUMN js")
			}
		}
		for _, d := range drivers {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				playDriver(t, w, d)
			})
		}
	})
}

// fillWithKinds makes a schema with a row of ordinary values, one of NULLs, and one of extremes.
func (w *world) fillWithKinds(schema string) {
	sandboxtest.Exec(w.t, w.source,
		"SET NAMES utf8mb4", "SET time_zone = '+00:00'",
		"CREATE DATABASE "+schema+" CHARACTER SET utf8mb4", "USE "+schema,
		`CREATE TABLE kinds (id INT PRIMARY KEY, ti TINYINT, tu TINYINT UNSIGNED, si SMALLINT, mi MEDIUMINT, iu INT UNSIGNED,
			bi BIGINT, bu BIGINT UNSIGNED, f FLOAT, d DOUBLE, de DECIMAL(30,10), bo BOOLEAN, bt BIT(10),
			da DATE, tm TIME, tf TIME(3), dt DATETIME, df DATETIME(6), ts TIMESTAMP NULL, y YEAR,
			c CHAR(10), v VARCHAR(50), la VARCHAR(20) CHARACTER SET latin1, tx TEXT, bn BINARY(4), vb VARBINARY(20), bl BLOB,
			en ENUM('small','large'), st SET('a','b','c'), js JSON)`,
		`INSERT INTO kinds VALUES (1, -5, 200, -3000, 8000000, 4000000000,
			-9000000000, 18000000000000000000, 1.5, -2.25e100, 1234567890.0123456789, TRUE, b'1000000001',
			'2026-02-03', '11:22:33', '11:22:33.456', '2026-02-03 04:05:06', '2026-02-03 04:05:06.789012', '2026-07-08 09:10:11', 2026,
			'char', 'Žluťoučký kůň 🐎', 'été', 'it''s; "text"\\', X'01020304', X'00FF0A0D09', X'00010203FFFE',
			'large', 'a,c', '{"a": [1, "é"]}')`,
		"INSERT INTO kinds (id) VALUES (2)",
		`INSERT INTO kinds VALUES (3, 127, 0, -32768, -8388608, 0,
			-9223372036854775808, 18446744073709551615, -0.0, 1.7976931348623157e308, -99999999999999999999.9999999999, FALSE, b'0',
			'1000-01-01', '23:59:59', '00:00:00.001', '9999-12-31 23:59:59', '1000-01-01 00:00:00.000001', '2038-01-19 03:14:07', 1901,
			'', '', '', '', X'00000000', '', '', 'small', '', '[]')`,
		"CREATE TABLE words (id INT PRIMARY KEY, word VARCHAR(20))",
		"INSERT INTO words VALUES (1, 'one'), (2, 'dvě'), (3, '三')",
	)
}

// driving is one driver through a Weir of its own, so that hits are this driver's, and straight at the server.
type driving struct {
	*world
	driver
	t             *testing.T
	proxy, direct speaker
	cold          map[string]bool // the protocols that are known to get no hits
}

func playDriver(t *testing.T, source *world, d driver) {
	w := &world{t: t, flavor: source.flavor, source: source.source}
	w.start(nil)
	// A server with caching_sha2_password lets passwords in without TLS once it has seen them: it sees this one now.
	w.connect(w.source.Addr(), "app", "app-secret", d.name).run("DO 0")

	g := &driving{world: w, driver: d, t: t, cold: map[string]bool{}}
	g.refusesWrongPassword()
	g.proxy, g.direct = g.connected(w.weir.Addr()), g.connected(w.source.Addr())
	g.variables("right after the login")
	for _, protocol := range g.protocols() {
		g.kinds(protocol)
		g.rows(protocol)
		g.mistakes(protocol)
	}
	g.mixed()
	g.changes()
	g.settings()
	g.provesProtocol()
}

func (g *driving) protocols() []string {
	if g.unprepared {
		return []string{"text"}
	}
	return []string{"text", "prepared"}
}

func (g *driving) connected(addr string) speaker {
	g.t.Helper()
	s, said := g.open(g.t, account{addr, "app", "app-secret", g.name})
	if said != "ok" && said != "ok " {
		g.t.Fatalf("the driver cannot connect to %s: %s", addr, said)
	}
	return s
}

// refusesWrongPassword: with the server's words, too, if the driver gets that far there. One with a password that it has
// not seen yet asks for its RSA key, or TLS, and some drivers then say what they miss.
func (g *driving) refusesWrongPassword() {
	g.t.Helper()
	_, proxy := g.open(g.t, account{g.weir.Addr(), "app", "wrong", g.name})
	_, direct := g.open(g.t, account{g.source.Addr(), "app", "wrong", g.name})
	if strings.HasPrefix(direct, "error 1045 ") && proxy != direct || !strings.HasPrefix(proxy, "error 1045 ") {
		g.t.Errorf("a wrong password: Weir says %q, the server %q", proxy, direct)
	}
}

// whereItDiffers shows where an answer of Weir's begins to differ.
func whereItDiffers(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	from := max(0, at-60)
	return fmt.Sprintf("got ...%.160q, want ...%.160q", got[from:], want[from:])
}

// same asks both, and wants rows that are equal and have all the words. It returns them.
func (g *driving) same(protocol, query string, values []string, words ...string) string {
	g.t.Helper()
	direct := g.direct.ask(protocol, query, values...)
	proxy := g.proxy.ask(protocol, query, values...)
	if proxy != direct || !strings.HasPrefix(proxy, "ok") {
		g.t.Errorf("%s %s %q: %s", protocol, query, values, whereItDiffers(proxy, direct))
	}
	for _, word := range words {
		if !strings.Contains(proxy, word) {
			g.t.Errorf("%s %s %q has no %q: %s", protocol, query, values, word, proxy)
		}
	}
	return proxy
}

// hit asks until Weir answers from its cache, which must give what the server gives. Right after a change, a fill may be
// refused, so it may take some tries. A protocol that gets no hits is waited for once.
func (g *driving) hit(protocol, query string, values []string, words ...string) {
	g.t.Helper()
	first := g.same(protocol, query, values, words...)
	for deadline := time.Now().Add(5 * time.Second); !g.cold[protocol]; {
		before := g.counter("weir_statements_total", "outcome", "hit")
		if again := g.proxy.ask(protocol, query, values...); again != first {
			g.t.Errorf("%s %s %q, the second time: %s", protocol, query, values, whereItDiffers(again, first))
		}
		if g.counter("weir_statements_total", "outcome", "hit") > before {
			return
		}
		g.cold[protocol] = time.Now().After(deadline)
	}
	g.t.Errorf("%s %s %q is no hit: %s", protocol, query, values, g.counters())
}

func (g *driving) variables(when string) {
	g.t.Helper()
	names := []string{
		"character_set_client", "character_set_connection", "character_set_results", "character_set_database",
		"collation_connection", "collation_database", "sql_mode", "time_zone", "autocommit", "sql_auto_is_null",
		"wait_timeout", "net_write_timeout", "net_read_timeout", "max_allowed_packet", "group_concat_max_len",
		"lc_time_names", "div_precision_increment", "foreign_key_checks", "version", "version_comment",
		map[sandbox.Flavor]string{sandbox.MySQL: "transaction_isolation", sandbox.MariaDB: "tx_isolation"}[g.flavor],
	}
	for i, name := range names {
		names[i] = "@@" + name + " AS " + name
	}
	query := "SELECT " + strings.Join(names, ", ")
	proxy, direct := g.proxy.ask("text", query), g.direct.ask("text", query)
	if proxy != direct || !strings.HasPrefix(proxy, "ok") || !strings.Contains(proxy, "utf8mb4") {
		g.t.Errorf("variables %s: %s", when, whereItDiffers(proxy, direct))
	}
}

// kinds reads values of all the common types.
func (g *driving) kinds(protocol string) {
	g.t.Helper()
	g.hit(protocol, "SELECT * FROM kinds WHERE id = 1", nil, "Žluťoučký kůň", "🐎", "été", "1234567890.0123456789", "large")
	g.hit(protocol, "SELECT * FROM kinds WHERE id = 2", nil)
	g.hit(protocol, "SELECT * FROM kinds WHERE id = 3", nil, "small")
	g.hit(protocol, "SELECT * FROM kinds ORDER BY id", nil, "Žluťoučký kůň", "small")
}

// rows asks with values.
func (g *driving) rows(protocol string) {
	g.t.Helper()
	if protocol == "text" {
		g.hit(protocol, "SELECT id, word FROM words ORDER BY id", nil, "one", "dvě", "三")
		g.hit(protocol, "SELECT id, word FROM words WHERE id = 99", nil)
		return
	}
	g.hit(protocol, "SELECT id, word FROM words WHERE id = ?", []string{"1"}, "one")
	g.hit(protocol, "SELECT id, word FROM words WHERE id = ?", []string{"2"}, "dvě")
	g.hit(protocol, "SELECT id, word FROM words WHERE id = ?", []string{"99"})
	g.hit(protocol, "SELECT id, word FROM words WHERE word = ?", []string{"三"}, "三")
	g.hit(protocol, "SELECT id, word, ? AS said FROM words WHERE id < ? AND word <> ? ORDER BY id", []string{"x'y", "3", "dvě"}, "one", "x'y")
}

// mistakes are answered as the server answers them, and do no harm to the session.
func (g *driving) mistakes(protocol string) {
	g.t.Helper()
	for query, number := range map[string]string{"SELECT nothing FROM words": "1054", "SELECT * FROM nowhere": "1146"} {
		direct, proxy := g.direct.ask(protocol, query), g.proxy.ask(protocol, query)
		if proxy != direct || !strings.HasPrefix(proxy, "error "+number) {
			g.t.Errorf("%s %s: Weir: %s; server: %s", protocol, query, proxy, direct)
		}
	}
	g.hit(protocol, "SELECT word FROM words WHERE id = 3", nil, "三")
}

// mixed asks the same text by both protocols in turn: the answers differ in their bytes.
func (g *driving) mixed() {
	g.t.Helper()
	for range 2 {
		for _, protocol := range g.protocols() {
			g.hit(protocol, "SELECT id, bi, d, df, v FROM kinds ORDER BY id", nil, "9000000000")
		}
	}
}

// changes are seen by both protocols, and what is read then is cached again.
func (g *driving) changes() {
	g.t.Helper()
	source := g.connect(g.source.Addr(), "app", "app-secret", g.name)
	for i, word := range []string{"uno", "jedna"} {
		source.run(fmt.Sprintf("UPDATE words SET word = '%s' WHERE id = 1", word))
		if i == 1 {
			source.run("ALTER TABLE words ADD COLUMN more DECIMAL(5,2) DEFAULT 1.25")
		}
		g.caughtUp()
		for _, protocol := range g.protocols() {
			g.hit(protocol, "SELECT id, word FROM words ORDER BY id", nil, word)
			g.hit(protocol, "SELECT * FROM words WHERE id = 1", nil, word, strings.Repeat("1.25", i))
		}
	}
}

// settings that a program makes change its answers, and its answers alone.
func (g *driving) settings() {
	g.t.Helper()
	query := "SELECT id, CAST(ts AS CHAR) AS at FROM kinds WHERE id = 1"
	for _, zone := range []string{"+05:00", "-03:00", "+05:00"} {
		for _, s := range []speaker{g.proxy, g.direct} {
			if said := s.ask("text", "SET time_zone = '"+zone+"'"); !strings.HasPrefix(said, "ok") {
				g.t.Errorf("SET time_zone: %s", said)
			}
		}
		hour := map[string]string{"+05:00": "14:10:11", "-03:00": "06:10:11"}[zone]
		for _, protocol := range g.protocols() {
			g.hit(protocol, query, nil, "2026-07-08 "+hour)
		}
	}
	g.variables("after SET time_zone")
}

// provesProtocol: the driver does use the protocols that the table says, or hits would prove less than they seem to.
func (g *driving) provesProtocol() {
	g.t.Helper()
	if got := g.executes("text", "SELECT word FROM words WHERE id = 2"); got != g.textless {
		g.t.Errorf("what is not prepared goes by the binary protocol: %v, want %v", got, g.textless)
	}
	if g.unprepared {
		return
	}
	if got := g.executes("prepared", "SELECT word FROM words WHERE id = ?", "2"); got != g.binary {
		g.t.Errorf("what is prepared goes by the binary protocol: %v, want %v", got, g.binary)
	}
}

// executes reports whether the driver executes prepared statements when it is asked that. Where nothing goes without,
// asking how many there were counts as one.
func (g *driving) executes(protocol, query string, values ...string) bool {
	g.t.Helper()
	const count = "SHOW SESSION STATUS LIKE 'Com_stmt_execute'"
	before, between := g.direct.ask("text", count), g.direct.ask("text", count)
	g.direct.ask(protocol, query, values...)
	return g.textless && before != between || between != g.direct.ask("text", count)
}
