package ddlwatch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"

	// The parser needs somebody's literals; of these nothing is looked at.
	_ "github.com/pingcap/tidb/pkg/parser/test_driver"

	"weir/cache/dep"
)

// maxParsed is the longest text in bytes that is given to the parser, which needs many times as much memory. Longer
// ones are bulk loads.
const maxParsed = 256 << 10

// tables are what a data change reads and writes.
type tables struct {
	written, read []dep.Name
}

// tablesOf parses the statement from start to the end of its text.
func tablesOf(start cursor) (tables, error) {
	sql, err := neutral(start)
	if err != nil {
		return tables{}, err
	}
	node, err := parseOne(sql)
	if err != nil {
		return tables{}, err
	}
	return collect(node, start.schema)
}

// neutral writes the statement so that it means the same under every sql_mode: without comments, names in
// backticks, and one and the same string for every string, since none of them is looked at.
func neutral(c cursor) (string, error) {
	if len(c.sql)-c.tok.off > maxParsed {
		return "", errors.New("a query in a statement too long to parse")
	}
	var b strings.Builder
	for last := c.tok; c.tok.kind != end; c.advance() {
		if c.tok.maybe {
			return "", errors.New("an executable comment in a statement to parse")
		}
		if !c.tok.next(last) {
			b.WriteByte(' ')
		}
		b.WriteString(c.tok.neutral())
		last = c.tok
	}
	return b.String(), nil
}

// neutral is good as a string and as the digits of x'00' and b'00'.
func (t token) neutral() string {
	switch t.kind {
	case quoted:
		return "`" + strings.ReplaceAll(t.unquote(), "`", "``") + "`"
	case text:
		return "'00'"
	}
	return t.src
}

// parseOne parses one statement. The parser is somebody else's and the text may be anything: a panic in it must not
// end the reading of the stream.
func parseOne(sql string) (node ast.StmtNode, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parse a data change: parser failed: %v", p)
		}
	}()
	node, err = parser.New().ParseOneStmt(sql, "", "")
	if err != nil {
		return nil, errors.New("a data change that the parser cannot read")
	}
	return node, nil
}

// collect finds the tables of a statement: written are the target of an INSERT, and every table that is joined in an
// UPDATE or DELETE, if not in a subquery.
func collect(node ast.StmtNode, schema string) (tables, error) {
	c := collector{schema: schema}
	switch s := node.(type) {
	case *ast.InsertStmt:
		c.targets(s.Table)
	case *ast.UpdateStmt:
		c.targets(s.TableRefs)
	case *ast.DeleteStmt:
		c.targets(s.TableRefs)
		s.Tables = nil // Aliases among them; the tables themselves are joined.
	case *ast.SelectStmt, *ast.SetOprStmt:
	default:
		return tables{}, errors.New("a data change of an unknown form")
	}
	node.Accept(&c)
	return c.tables, c.err
}

// collector visits table names.
type collector struct {
	tables
	schema string
	err    error
}

func (c *collector) targets(refs *ast.TableRefsClause) {
	if refs == nil || refs.TableRefs == nil {
		c.err = errors.New("a data change without a table")
		return
	}
	c.target(refs.TableRefs)
}

func (c *collector) target(n ast.ResultSetNode) {
	switch n := n.(type) {
	case *ast.Join:
		c.target(n.Left)
		c.target(n.Right)
	case *ast.TableSource:
		c.target(n.Source)
	case *ast.TableName:
		c.written = append(c.written, c.name(n))
	}
}

// Enter notes every table name as read.
func (c *collector) Enter(n ast.Node) (ast.Node, bool) {
	if t, ok := n.(*ast.TableName); ok {
		c.read = append(c.read, c.name(t))
	}
	return n, false
}

// Leave goes on.
func (c *collector) Leave(n ast.Node) (ast.Node, bool) { return n, true }

func (c *collector) name(t *ast.TableName) dep.Name {
	schema, table := t.Schema.O, t.Name.O
	if !plain(table) || schema != "" && !plain(schema) {
		c.err = errors.New("a name that a character set or an encoding decides")
	}
	if schema == "" {
		schema = c.schema
	}
	if schema == "" {
		c.err = errors.New("a table without a schema")
	}
	return dep.Fold(schema, table)
}
