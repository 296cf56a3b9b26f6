package ddlwatch

// reserved are words that MySQL and MariaDB both refuse as a name without quotes, as far as they can stand near a
// name in the statements that are read here.
var reserved = set(
	"ADD", "ALTER", "ANALYZE", "AS", "BY", "CASCADE", "CHARACTER", "CHECK", "COLLATE", "COLUMN", "CONSTRAINT",
	"CONVERT", "CREATE", "CROSS", "DATABASE", "DEFAULT", "DELAYED", "DELETE", "DISTINCT", "DROP", "EXISTS", "FOR",
	"FORCE", "FOREIGN", "FROM", "FULLTEXT", "GROUP", "HAVING", "HIGH_PRIORITY", "IF", "IGNORE", "IN", "INDEX",
	"INFILE", "INNER", "INSERT", "INTO", "JOIN", "KEY", "KEYS", "LEFT", "LIKE", "LIMIT", "LINES", "LOAD", "LOCK",
	"LOW_PRIORITY", "NATURAL", "NOT", "NULL", "ON", "OPTIMIZE", "OR", "ORDER", "OUTER", "PARTITION", "PRIMARY",
	"READ", "REFERENCES", "RENAME", "REPLACE", "RESTRICT", "REVOKE", "RIGHT", "SCHEMA", "SELECT", "SET", "SPATIAL",
	"STRAIGHT_JOIN", "TABLE", "TO", "TRIGGER", "UNION", "UNIQUE", "UPDATE", "USE", "USING", "VALUES", "WHERE",
	"WITH", "WRITE",
)

// beforeParen are reserved words that may stand before a parenthesis, with or without a blank between, and never
// call a stored function there.
var beforeParen = set(
	"ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "CHAR", "CONVERT", "DECIMAL", "DEFAULT", "DISTINCT", "DIV", "ELSE",
	"EXISTS", "FROM", "HAVING", "IF", "IN", "INDEX", "INSERT", "INTERVAL", "INTO", "IS", "JOIN", "KEY", "LEFT",
	"LIKE", "LIMIT", "LINES", "MOD", "NOT", "ON", "OR", "PARTITION", "REGEXP", "REPEAT", "REPLACE",
	"RIGHT", "RLIKE", "SELECT", "SET", "THEN", "UNION", "UPDATE", "USING", "VALUES", "VARCHAR", "WHEN", "WHERE",
	"XOR",
)

// builtin are functions that MySQL from 5.7 and MariaDB from 10.2 on both have built in, and that write nothing. A
// function that only one of them has may be a stored one on the other.
var builtin = set(
	"ABS", "ACOS", "ADDDATE", "ADDTIME", "AES_DECRYPT", "AES_ENCRYPT", "ASCII", "ASIN", "ATAN", "ATAN2", "AVG",
	"BIN", "BIT_AND", "BIT_COUNT", "BIT_LENGTH", "BIT_OR", "BIT_XOR",
	"CAST", "CEIL", "CEILING", "CHARACTER_LENGTH", "CHARSET", "CHAR_LENGTH", "COALESCE", "COLLATION", "COMPRESS",
	"CONCAT", "CONCAT_WS", "CONNECTION_ID", "CONV", "CONVERT_TZ", "COS", "COT", "COUNT", "CRC32", "CURDATE",
	"CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "CURTIME",
	"DATABASE", "DATE", "DATEDIFF", "DATE_ADD", "DATE_FORMAT", "DATE_SUB", "DAY", "DAYNAME", "DAYOFMONTH",
	"DAYOFWEEK", "DAYOFYEAR", "DEGREES",
	"ELT", "EXP", "EXPORT_SET", "EXTRACT",
	"FIELD", "FIND_IN_SET", "FLOOR", "FORMAT", "FOUND_ROWS", "FROM_BASE64", "FROM_DAYS", "FROM_UNIXTIME",
	"GREATEST", "GROUP_CONCAT", "HEX", "HOUR",
	"IFNULL", "INET6_ATON", "INET6_NTOA", "INET_ATON", "INET_NTOA", "INSTR", "ISNULL",
	"JSON_ARRAY", "JSON_ARRAY_APPEND", "JSON_ARRAY_INSERT", "JSON_CONTAINS", "JSON_CONTAINS_PATH", "JSON_DEPTH",
	"JSON_EXTRACT", "JSON_INSERT", "JSON_KEYS", "JSON_LENGTH", "JSON_MERGE", "JSON_OBJECT", "JSON_QUOTE",
	"JSON_REMOVE", "JSON_REPLACE", "JSON_SEARCH", "JSON_SET", "JSON_TYPE", "JSON_UNQUOTE", "JSON_VALID",
	"LAST_DAY", "LAST_INSERT_ID", "LCASE", "LEAST", "LENGTH", "LN", "LOCATE", "LOG", "LOG10", "LOG2", "LOWER",
	"LPAD", "LTRIM",
	"MAKEDATE", "MAKETIME", "MAKE_SET", "MAX", "MD5", "MICROSECOND", "MID", "MIN", "MINUTE", "MONTH", "MONTHNAME",
	"NAME_CONST", "NOW", "NULLIF", "OCT", "OCTET_LENGTH", "ORD",
	"PERIOD_ADD", "PERIOD_DIFF", "PI", "POSITION", "POW", "POWER", "QUARTER", "QUOTE",
	"RADIANS", "RAND", "REVERSE", "ROUND", "ROW", "ROW_COUNT", "RPAD", "RTRIM",
	"SCHEMA", "SECOND", "SEC_TO_TIME", "SESSION_USER", "SHA", "SHA1", "SHA2", "SIGN", "SIN", "SOUNDEX", "SPACE",
	"SQRT", "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "STRCMP", "STR_TO_DATE", "SUBDATE", "SUBSTR", "SUBSTRING",
	"SUBSTRING_INDEX", "SUBTIME", "SUM", "SYSDATE", "SYSTEM_USER",
	"TAN", "TIME", "TIMEDIFF", "TIMESTAMP", "TIMESTAMPADD", "TIMESTAMPDIFF", "TIME_FORMAT", "TIME_TO_SEC",
	"TO_BASE64", "TO_DAYS", "TO_SECONDS", "TRIM", "TRUNCATE",
	"UCASE", "UNCOMPRESS", "UNCOMPRESSED_LENGTH", "UNHEX", "UNIX_TIMESTAMP", "UPPER", "USER", "UTC_DATE",
	"UTC_TIME", "UTC_TIMESTAMP", "UUID", "UUID_SHORT",
	"VARIANCE", "VAR_POP", "VAR_SAMP", "VERSION", "WEEK", "WEEKDAY", "WEEKOFYEAR", "WEIGHT_STRING", "YEAR",
	"YEARWEEK",
)

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
