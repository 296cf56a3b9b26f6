// Package virtual has the tables that Weir answers itself: what it counts and knows, as rows that one can SELECT.
//
// A table is a list of columns and a function that returns its rows as of now. Nothing is stored, nothing can be changed,
// and no answer is ever cached. There are two ways to answer a SELECT of them:
//
//   - the plain way ([Parse], [Query.Run]): Weir reads the text and evaluates it, for SELECT of columns or COUNT(*) of one
//     table with simple conditions, ORDER BY and LIMIT. It needs no server, so that one can look at the state of servers
//     while none answers;
//   - the derived way ([Set.Derive]): all other SQL. Each name in FROM is replaced by a derived table with the same rows,
//     JSON_TABLE over a literal, and a server evaluates the text with the client's own account. So joins, grouping,
//     functions and the client's own tables work as its server has them, in its dialect, sql_mode and time zone.
//
// There is no engine in here. An embedded one (go-mysql-server, SQLite) would be a third dialect beside MySQL's and
// MariaDB's, with other functions, collations and privileges, and a hundred modules; a server is there anyway.
//
// Both ways give the same names, types and values; a test compares them. What the plain way cannot answer exactly as a
// server would, such as an order of names that are not ASCII, it leaves to the other.
//
// What always holds: a table with a [Table.Privilege] tells nothing to an account without it; a name that the source has
// is the source's table, not Weir's; literals of clients' statements are in no table but QUERY_CACHE_INFO, for which an
// account needs PROCESS, as it does natively.
package virtual
