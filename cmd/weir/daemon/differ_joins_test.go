package daemon

// joinShapes read several tables.
var joinShapes = []shape{
	{"inner join", 100, func(m *maker) string {
		return "SELECT i.id, i.name, k.title, " + m.number() + " FROM item i " + m.one("JOIN", "INNER JOIN", "CROSS JOIN", "STRAIGHT_JOIN") + " kind k ON k.id = i.kind_id" + m.maybe(" WHERE i.price > "+m.number()) + " ORDER BY i.id"
	}},
	{"comma join", 100, func(m *maker) string {
		return "SELECT i.id, k.*, l.label FROM item i, kind k, label l WHERE i.kind_id = k.id AND l.item_id = i.id AND i.id " + m.compare() + " " + m.small(1, 40) + " ORDER BY i.id, l.label LIMIT " + m.plain(1, 90)
	}},
	{"outer join", 100, func(m *maker) string {
		return "SELECT k.id, i.id, i.name, COALESCE(i.price, " + m.number() + ") FROM kind k " + m.one("LEFT", "LEFT OUTER", "RIGHT") + " JOIN item i ON i.kind_id = k.id AND i.id < " + m.small(1, 40) + m.maybe(" WHERE i.id IS NULL OR k.id IS NULL OR i.id > "+m.small(1, 9)) + " ORDER BY k.id, i.id"
	}},
	{"natural and using", 100, func(m *maker) string {
		return "SELECT * FROM item " + m.one("NATURAL JOIN kind", "JOIN kind USING (id)", "NATURAL LEFT JOIN tree", "LEFT JOIN tree USING (id)", "JOIN tree USING (id, name)") + " WHERE id <> " + m.small(0, 99) + " ORDER BY id LIMIT " + m.plain(1, 60)
	}},
	{"self join", 100, func(m *maker) string {
		return "SELECT a.id, b.id, c.name FROM tree a JOIN tree b ON b.parent = a.id LEFT JOIN (tree c JOIN kind k ON k.id = c.id) ON c.parent = b.id WHERE a.id " + m.compare() + " " + m.small(0, 9) + " ORDER BY a.id, b.id, c.id LIMIT " + m.plain(1, 60)
	}},
	{"exists", 100, func(m *maker) string {
		return "SELECT id, name FROM item i WHERE " + m.maybe("NOT ") + "EXISTS (SELECT 1 FROM label l WHERE l.item_id = i.id AND l.label " + m.compare() + " " + m.text() + ") AND id > " + m.small(0, 30) + " ORDER BY id"
	}},
	{"in subquery", 100, func(m *maker) string {
		return "SELECT id, name FROM item WHERE kind_id " + m.maybe("NOT ") + "IN (SELECT id FROM kind WHERE id > " + m.small(0, 5) + ") AND id " + m.compare() + m.one(" ANY", " ALL", " SOME") + " (SELECT item_id FROM label WHERE item_id < " + m.small(2, 40) + ") ORDER BY id"
	}},
	{"scalar subquery", 100, func(m *maker) string {
		return "SELECT k.id, (SELECT " + m.one("MAX(price)", "COUNT(*)", "MIN(name)", "AVG(weight)") + " FROM item i WHERE i.kind_id = k.id) AS " + m.as() + ", (SELECT title FROM kind WHERE id = " + m.small(1, 6) + ") FROM kind k ORDER BY k.id"
	}},
	{"row subquery", 90, func(m *maker) string {
		return "SELECT id FROM item WHERE (kind_id, stock) " + m.one("IN", "NOT IN") + " (SELECT kind_id, MAX(stock) FROM item GROUP BY kind_id) AND (id, 1) <> (" + m.small(1, 40) + ", 1) ORDER BY id"
	}},
	{"derived table", 100, func(m *maker) string {
		return "SELECT d.k, d.n, t.title FROM (SELECT kind_id AS k, COUNT(*) AS n FROM item WHERE id > " + m.small(0, 30) + " GROUP BY kind_id) AS d LEFT JOIN kind t ON t.id = d.k ORDER BY d.k, d.n LIMIT " + m.plain(1, 40)
	}},
	{"view", 100, func(m *maker) string {
		return m.one("SELECT * FROM v_item WHERE id > "+m.small(0, 40)+" ORDER BY id", "SELECT kind, items, total + "+m.number()+" FROM v_kind ORDER BY kind", "SELECT n.*, "+m.plain(1, 99)+" FROM v_nested n ORDER BY id", "SELECT id, name, "+m.number()+" FROM v_union ORDER BY id, name", "SELECT *, "+m.plain(1, 99)+" FROM v_every ORDER BY id", "SELECT i.id, k.items FROM v_item i JOIN v_kind k ON k.kind > i.name AND i.id < "+m.small(1, 30)+" ORDER BY i.id, k.kind")
	}},
	{"lateral", 0, func(m *maker) string {
		return m.say("SELECT k.id, x.id FROM kind k, LATERAL (SELECT id FROM item WHERE kind_id = k.id ORDER BY id LIMIT "+m.plain(1, 5)+") x WHERE k.id > "+m.small(0, 4)+" ORDER BY k.id, x.id",
			"SELECT k.id FROM kind k WHERE k.id > "+m.small(0, 99)+" ORDER BY k.id FETCH FIRST "+m.plain(1, 9)+" ROWS ONLY")
	}},
	{"json table", 0, func(m *maker) string {
		return "SELECT doc.id, j.tag, j.n FROM doc, JSON_TABLE(doc.d, '$.tags[*]' COLUMNS (n FOR ORDINALITY, tag VARCHAR(" + m.plain(5, 60) + ") PATH '$')) AS j ORDER BY doc.id, j.n LIMIT " + m.plain(1, 30)
	}},
}

// groupShapes group, order and number rows.
var groupShapes = []shape{
	{"aggregates", 100, func(m *maker) string {
		c := m.column(ofInteger, ofUnsigned, ofDecimal, ofApproximate)
		return "SELECT COUNT(*), COUNT(" + c + "), SUM(" + c + "), AVG(" + c + "), MIN(" + m.column() + "), MAX(" + m.column(ofWords, ofInteger, ofDecimal, ofDate, ofDatetime) + "), " + m.one("STD", "VARIANCE", "STDDEV_SAMP", "VAR_POP") + "(" + m.column(ofInteger, ofApproximate) + "), " + m.one("BIT_AND", "BIT_OR", "BIT_XOR") + "(" + m.column(ofInteger, ofUnsigned) + ") AS " + m.as() + " FROM every" + m.where()
	}},
	{"count distinct", 100, func(m *maker) string {
		return "SELECT COUNT(DISTINCT " + m.column(ofWords, ofInteger, ofDecimal, ofDate, ofEnumeration) + "), COUNT(DISTINCT name, kind_id), SUM(DISTINCT stock), " + m.number() + " FROM every LEFT JOIN item ON item.id = every.id"
	}},
	{"group by", 100, func(m *maker) string {
		g := m.one("kind_id", "made", "stock % 3", "kind_id > 2", "YEAR(made)")
		return "SELECT " + g + " AS g, COUNT(*), SUM(price), MIN(weight), MAX(id) FROM item WHERE id > " + m.small(0, 30) + " GROUP BY " + g + m.maybe(" HAVING COUNT(*) > "+m.small(0, 3)) + " ORDER BY g " + m.one("ASC", "DESC") + " LIMIT " + m.plain(1, 40)
	}},
	{"group by all types", 95, func(m *maker) string {
		c := m.column(ofInteger, ofUnsigned, ofDecimal, ofWords, ofBytestring, ofDate, ofDatetime, ofYear, ofEnumeration, ofBits, ofClock)
		return "SELECT " + c + ", COUNT(*) AS n, MIN(id) AS first, " + m.number() + " FROM every GROUP BY " + c + " ORDER BY first"
	}},
	{"group_concat", 100, func(m *maker) string {
		return "SELECT kind_id, GROUP_CONCAT(" + m.maybe("DISTINCT ") + m.one("name", "id", "price", "made") + " ORDER BY " + m.one("id", "name, id", "price DESC, id") + m.maybe(" SEPARATOR '; '") + ") AS " + m.as() + ", COUNT(*) FROM item WHERE id > " + m.small(0, 20) + " GROUP BY kind_id ORDER BY kind_id"
	}},
	{"json aggregates", 90, func(m *maker) string {
		return "SELECT kind_id, JSON_ARRAYAGG(id), JSON_OBJECTAGG(id, " + m.one("name", "price", "made", "stock") + ") AS " + m.as() + " FROM item WHERE id < " + m.small(1, 40) + " GROUP BY kind_id ORDER BY kind_id"
	}},
	{"rollup", 100, func(m *maker) string {
		return "SELECT kind_id, COUNT(*), SUM(price) AS " + m.as() + " FROM item WHERE kind_id IS NOT NULL AND id > " + m.small(0, 30) + " GROUP BY kind_id" + m.maybe(", stock > 9") + " WITH ROLLUP"
	}},
	{"distinct", 100, func(m *maker) string {
		return "SELECT DISTINCT " + m.one("kind_id", "kind_id, stock % 2", "made", "price > 50") + " AS " + m.as() + " FROM item WHERE id " + m.compare() + " " + m.small(0, 40) + " ORDER BY 1"
	}},
	{"distinct all types", 95, func(m *maker) string {
		c := m.column(ofInteger, ofUnsigned, ofDecimal, ofBytestring, ofDate, ofDatetime, ofYear, ofEnumeration, ofClock)
		return "SELECT DISTINCT " + c + " AS " + m.as() + " FROM every ORDER BY " + c
	}},
	{"order by", 100, func(m *maker) string {
		return "SELECT id, " + m.column() + " FROM every ORDER BY " + m.column(ofInteger, ofUnsigned, ofDecimal, ofWords, ofBytestring, ofDate, ofDatetime, ofClock, ofEnumeration, ofBits) + m.one(" DESC", " ASC", "") + ", " + m.one("id", "id DESC", "1", "c_int + "+m.number()+", id") + m.maybe(" LIMIT "+m.plain(1, 12))
	}},
	{"limit", 100, func(m *maker) string {
		return "SELECT id, name, " + m.number() + " FROM item ORDER BY " + m.one("id", "name, id", "price DESC, id", "made IS NULL, made, id") + " LIMIT " + m.one(m.small(0, 50), m.plain(0, 20)+", "+m.small(0, 20), m.plain(0, 9)+" OFFSET "+m.plain(0, 45), "18446744073709551615 OFFSET "+m.plain(0, 40))
	}},
	{"window", 100, func(m *maker) string {
		over := "(" + m.maybe("PARTITION BY kind_id ") + "ORDER BY " + m.one("id", "price, id", "stock DESC, id") + ")"
		return "SELECT id, " + m.one("ROW_NUMBER()", "RANK()", "DENSE_RANK()", "PERCENT_RANK()", "CUME_DIST()", "NTILE(3)", "LAG(name)", "LEAD(price, 2)", "FIRST_VALUE(name)", "LAST_VALUE(id)") + " OVER " + over + " AS " + m.as() + ", " + m.one("SUM(price)", "COUNT(*)", "MAX(stock)", "AVG(stock)") + " OVER " + over + " FROM item WHERE id < " + m.small(5, 45) + " ORDER BY id"
	}},
	{"window frames", 100, func(m *maker) string {
		return "SELECT id, SUM(stock) OVER w AS " + m.as() + ", MIN(price) OVER (ORDER BY id ROWS BETWEEN " + m.one("1 PRECEDING AND 1 FOLLOWING", "UNBOUNDED PRECEDING AND CURRENT ROW", "2 PRECEDING AND 1 PRECEDING") + ") FROM item WHERE id > " + m.small(0, 35) + " WINDOW w AS (PARTITION BY kind_id ORDER BY id" + m.maybe(" RANGE BETWEEN 5 PRECEDING AND CURRENT ROW") + ") ORDER BY id"
	}},
}

// nestedShapes put queries together.
var nestedShapes = []shape{
	{"union", 100, func(m *maker) string {
		return "SELECT id, name FROM item WHERE id < " + m.small(1, 40) + " UNION " + m.one("", "ALL ", "DISTINCT ") + "SELECT id, title FROM kind WHERE id <> " + m.small(0, 9) + " ORDER BY id, name" + m.maybe(" LIMIT "+m.plain(1, 60))
	}},
	{"union of types", 85, func(m *maker) string {
		return "SELECT id, " + m.column(ofInteger, ofDecimal, ofWords, ofDate) + " AS v FROM every UNION ALL SELECT " + m.number() + " + 100, " + m.column(ofApproximate, ofWords, ofDatetime, ofUnsigned) + " FROM every WHERE id = " + m.small(1, 5) + " UNION ALL SELECT id + 1000, " + m.any() + " FROM kind ORDER BY id"
	}},
	{"union in parentheses", 95, func(m *maker) string {
		return "(SELECT id FROM item ORDER BY id DESC LIMIT " + m.plain(1, 9) + ") UNION ALL (SELECT id FROM kind WHERE id > " + m.small(0, 4) + ") ORDER BY id LIMIT " + m.plain(1, 99)
	}},
	{"intersect and except", 95, func(m *maker) string {
		return "SELECT id FROM item WHERE id > " + m.small(0, 9) + " " + m.one("INTERSECT", "EXCEPT") + " SELECT item_id FROM label WHERE item_id < " + m.small(5, 40) + " ORDER BY id LIMIT " + m.plain(1, 99)
	}},
	{"cte", 100, func(m *maker) string {
		return "WITH a AS (SELECT id, kind_id FROM item WHERE id > " + m.small(0, 30) + "), b (k, n) AS (SELECT kind_id, COUNT(*) FROM a GROUP BY kind_id) SELECT a.id, b.n, " + m.number() + " FROM a JOIN b ON b.k = a.kind_id ORDER BY a.id"
	}},
	{"recursive cte", 100, func(m *maker) string {
		return m.one(
			"WITH RECURSIVE up AS (SELECT id, parent, name, 0 AS depth FROM tree WHERE id = "+m.small(1, 9)+" UNION ALL SELECT t.id, t.parent, t.name, up.depth + 1 FROM tree t JOIN up ON t.id = up.parent) SELECT *, "+m.plain(1, 99)+" FROM up ORDER BY depth",
			"WITH RECURSIVE down (id, path) AS (SELECT id, CAST(name AS CHAR(200)) FROM tree WHERE parent IS NULL UNION ALL SELECT t.id, CONCAT(path, '/', t.name) FROM tree t JOIN down d ON t.parent = d.id) SELECT path, id FROM down WHERE id > "+m.small(0, 8)+" ORDER BY path LIMIT "+m.plain(1, 60),
			"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "+m.plain(2, 40)+") SELECT n.i, item.name FROM n LEFT JOIN item ON item.id = n.i ORDER BY n.i")
	}},
	{"derived in derived", 100, func(m *maker) string {
		return "SELECT z.* FROM (SELECT y.id, y.v + " + m.number() + " AS v FROM (SELECT id, stock AS v FROM item WHERE id < " + m.small(1, 40) + ") AS y) AS z ORDER BY z.id"
	}},
	{"table", 95, func(m *maker) string {
		return m.say("TABLE "+m.one("item", "kind", "tree", "doc", "v_item", "every", "odd")+" ORDER BY 1 LIMIT "+m.plain(1, 90), "SELECT * FROM (SELECT * FROM "+m.one("item", "kind", "tree", "doc")+") AS t ORDER BY 1 LIMIT "+m.plain(1, 90))
	}},
}

// spellingShapes say it in odd ways.
var spellingShapes = []shape{
	{"quoted identifiers", 100, func(m *maker) string {
		return "SELECT `select`, " + m.one("`a b`", "`ü`", "`back``tick`", "`dot.dot`", "`quo\"te`", "odd.`ü` AS `ä ö`", "`differ`.`odd`.`a b`") + ", " + m.number() + " FROM " + m.one("odd", "`odd`", "`differ`.`odd`", "differ . odd") + " WHERE `back``tick` " + m.compare() + " " + m.number() + " ORDER BY `select`"
	}},
	{"names that are words", 100, func(m *maker) string {
		return "SELECT `from`, `where` + " + m.number() + " AS `order` FROM `odd table` `table`" + m.maybe(" WHERE `from` > "+m.small(0, 3)) + " ORDER BY `from`"
	}},
	{"comments", 90, func(m *maker) string {
		return m.one("/* "+m.plain(1, 999)+" */ ", "-- "+m.plain(1, 999)+"\n", "# "+m.plain(1, 999)+" ' \"\n", "/**/") + "SELECT/* a 'quote */id, " + m.number() + " FROM -- item\n kind ORDER/**/BY id" + m.one("", " ", ";", " /* end */", " -- end", "\n#end "+m.plain(1, 999), " ; ")
	}},
	{"spaces and case", 100, func(m *maker) string {
		return m.one("select", "SELECT", "SeLeCt", "  select", "\n\tSELECT") + m.one(" ", "\n", "\t", "  ") + "id," + m.number() + m.one(" from ", "\nFROM\n", "\tFrom\t") + "kind" + m.one(" ", "\r\n") + "Where id" + m.one("=", " = ", "\n=\n", "<") + m.small(1, 9) + " ORDER BY id" + m.one("", " ", "\n")
	}},
	{"modifiers", 85, func(m *maker) string {
		return "SELECT " + m.one("ALL", "DISTINCT", "HIGH_PRIORITY", "SQL_BUFFER_RESULT", "SQL_SMALL_RESULT", "STRAIGHT_JOIN", "SQL_BIG_RESULT") + " id, " + m.number() + " FROM item " + m.one("", "USE INDEX (kind_id)", "FORCE INDEX (PRIMARY)", "IGNORE INDEX (name)") + " WHERE kind_id > " + m.small(0, 5) + " ORDER BY id"
	}},
	{"literals", 90, func(m *maker) string {
		return "SELECT id, " + m.one("'a' 'b' \"c\"", "'it''s'", `'tab\tnew\nline\\'`, `"double ""quotes"""`, "'\U0001f363'", "TRUE", "NULL", "0x", "1.", ".5", "1e3", "-0", "00012", "9223372036854775808", "1.0000000000000000000000000000000000001", "''", "N'x'") + ", " + m.plain(1, 999) + " AS " + m.as() + " FROM kind ORDER BY id"
	}},
	{"precedence", 100, func(m *maker) string {
		return m.fromEvery("id + 2 * "+m.small(1, 9)+" - 3", "NOT id > "+m.small(1, 9)+" AND id < 12 OR id = 14", "-id DIV 2 % 5", "id = 2 = 1", "id BETWEEN 3 AND 5 OR id IN (9)", "id <=> NULL IS NOT TRUE", "1 << id % 5 | 8 & 12 ^ 3", "id NOT BETWEEN "+m.small(1, 9)+" AND 10")
	}},
}
