// Package querycache is what a client sees of the query cache's variables: query_cache_type and its like, by the rules of
// the servers that had a query cache. It knows names, values, rounding, warnings and error numbers; what a text says, and
// what the proxy does with the settings, is not its affair.
//
// A variable is changed in two steps, as servers do it, so that of a list either all is done or nothing:
//
//  1. [Settings.Check] judges one assignment, and changes nothing.
//  2. The [Change] that it returned is made, once all assignments of the list have passed. Warnings come from here.
//
// Where MySQL 5.7 and MariaDB differ, [Settings] follow the flavour of the servers behind the proxy.
package querycache
