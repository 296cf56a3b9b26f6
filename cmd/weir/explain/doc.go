// Package explain is weir explain: it asks a Weir that runs, on its SQL port, what it does with a statement and why, and shows
// the answer to people. It is an ordinary client that sends EXPLAIN CACHE FORMAT=JSON, and knows nothing that a session of the
// same account would not be told.
package explain
