// Package statement says what a client's text does, whether its result may be cached, why not, and which tables it
// reads.
//
// It is for the proxy, which routes by [Kind], keeps results by [Statement.Cacheable] and makes their tags of
// [Statement.Tables]. It is not a validator: a text that the server will refuse may be called cacheable, since errors
// are never stored. It knows nothing of temporary tables, privileges or transactions; those are the session's affair.
//
// # The life of one text
//
// [Analyzer.Analyze] resolves comments that contain code (comment.go), cuts the text at its semicolons (split.go), and
// looks at the first word of each statement (classify.go, session.go, set.go). All that is Weir's own lexer, so that
// the kind never depends on what a parser for another server's dialect makes of the text.
//
// A query then gets two readings. The first is a pass over its tokens (scan.go), which refuses by name: functions of
// the clock and of the session, variables, INTO, locks. The second is the tree of the TiDB parser, which walk.go,
// expr.go and call.go visit: tables are resolved, common table expressions kept apart from tables, views expanded
// through the [Catalog], and every function must be on a list of built-ins that are known to be deterministic
// (function.go).
//
// [Cache] remembers the outcome, for the text and for its template (template.go): the text without those literals that
// the analysis does not look at. Another text with the same template is not parsed; only the values of its literals
// are read, into [Statement.Slots]. In the tree a literal is known by its place in the text (slot.go).
//
// # What a result depends on
//
// For each table that a cacheable statement reads, the [Plan] says as precisely as is sound which rows, ranges or columns of
// it decide the result. While the tree is visited, scope.go keeps what each SELECT mentions, restrict.go and conditions.go
// read WHERE and ON, joined.go follows equal columns, and depend.go puts it together and says why it holds. A plan is one
// for all texts that differ in literals; [Plan.Dependencies] makes tags of their values. testdata/depend has some hundreds
// of statements with what is said of them.
//
// Some statements ask for an index or a partition by name, or are allowed for the sake of a key. Such a result depends on how
// its tables are stored, too: see [Statement.Layouts].
//
// # Invariants
//
//   - Unknown means not cacheable. This goes for texts, nodes of the tree, functions, names and modes alike. A
//     statement of [Unknown] kind must be taken for a write.
//   - Each word SELECT and TABLE of the text must turn up in the tree as a query that was visited. A subquery that the
//     parser drops makes the statement not cacheable.
//   - The tree is visited by hand. Accept is not called, values are not read, and nothing is restored to text:
//     go-mysql's canal installs a driver of values that are empty and end every traversal that meets one.
//   - What is not understood of a condition restricts nothing. A table of which no restriction holds for each of its
//     mentions depends on columns, or counts as a whole.
//   - Nothing that is refused for one reason becomes cacheable for another. The first reason found is the one given.
//
// # Where a text may mean one thing here and another to a server
//
// A table that the server reads and Weir does not see would make a stale result. What was found, and what is done:
//
//   - Comments. The TiDB parser runs /*! ... */ whatever the version in it and /*T! ... */, which servers do not, and
//     reads over /*M! ... */. All make a statement not cacheable. For the kind, comments below version 50700 are code
//     to every server; from there on a text has two readings, and is a write if any of its words could begin one.
//   - White space. The TiDB parser takes only white space for the end of --; servers also take control characters. Any
//     control character outside of quotes is refused, NUL included.
//   - Quotes. Under ANSI_QUOTES the parser knows backslash escapes in "identifiers", and in optimizer hints it knows no
//     quotes; both are refused. $$ is a quote to newer MySQL: words that start with $ are refused.
//   - Character sets. Texts must be valid UTF-8, or all ASCII in another character set. The lexer knows the character
//     sets in which a backslash or a quote can be the second byte of a character.
//   - sql_mode. ORACLE and MSSQL change the grammar; they, their siblings and all unknown modes are refused.
//   - SUM (x), SUM/**/(x) and `sum`(x) call a stored function unless IGNORE_SPACE lets the gap pass, and IGNORE_SPACE
//     passes over white space but not comments. So do POINT(x) and others with a wrong number of arguments.
//   - CURRENT_ROLE and a few others are functions without parentheses to a server and columns to the parser.
//   - GROUP_CONCAT(... ORDER BY ...) OVER () loses its ORDER BY in the tree.
//   - Common table expressions. t does not shadow T where lower_case_table_names is 0. Flavors differ on later names
//     under RECURSIVE, and on a name in its own body that an outer WITH has too. There the name counts as a table.
//   - Functions that are built into one flavor, or from some version on, may be stored functions elsewhere: see [Env].
//
// # The current date
//
// A TIME that meets a date is completed with the current date: in DATE(time), CAST(time AS DATETIME), time < datetime,
// COALESCE(time, datetime), UNION and so on. clock.go refuses these places if the catalog tells which columns are of
// type TIME (see [TimeColumns]). Without that, a column that is cast to DATETIME or TIMESTAMP is refused, DATE(column)
// is not, and a comparison of a TIME column with a date goes unnoticed.
//
// # What the catalog must see to
//
// MariaDB allows virtual columns that depend on the clock or the session. Tables of engines such as MERGE, FEDERATED,
// CONNECT and SPIDER have rows that are not theirs. A catalog answers [dep.Unknown] for such tables.
package statement
