package statement

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
)

// called visits calls of functions and casts; what is none of them is not known at all.
func (w *walker) called(n ast.ExprNode) value {
	switch n := n.(type) {
	case *ast.FuncCallExpr:
		return w.funcCall(n)
	case *ast.FuncCastExpr:
		return w.cast(n)
	case *ast.AggregateFuncExpr:
		args := w.exprs(n.Args)
		w.calls(strings.ToLower(n.F), false)
		w.groups(args)
		w.orderBy(n.Order)
		w.allow(strings.ToLower(n.F))
		return w.result(strings.ToLower(n.F), args)
	case *ast.WindowFuncExpr:
		args := w.exprs(n.Args)
		w.calls(strings.ToLower(n.Name), true)
		w.window(&n.Spec)
		w.allow(strings.ToLower(n.Name))
		return w.result(strings.ToLower(n.Name), args)
	}
	w.unsupported(n)
	return value{other: true}
}

func (w *walker) funcCall(n *ast.FuncCallExpr) value {
	args := w.exprs(n.Args)
	name := n.FnName.L
	if n.Schema.L != "" {
		w.stored(n.Schema.O + "." + n.FnName.O)
		return value{other: true}
	}
	w.allow(name)
	switch {
	case name == "unix_timestamp" && len(args) == 0:
		w.refuse(NonDeterministic, "UNIX_TIMESTAMP")
	case !constructs(name, len(args)):
		w.stored(name)
	case name == "extract" && wantsTime(n.Args):
		return value{other: true}
	case name == "str_to_date" && !w.namesDate(n.Args):
		return join(w.clock.timeOfDay(), value{other: true})
	}
	return w.result(name, args)
}

// constructs tells whether a constructor of geometries has as many arguments as it takes. With others the server looks
// for a stored function of the name.
func constructs(name string, args int) bool {
	switch name {
	case "point":
		return args == 2
	case "linestring", "polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection":
		return args > 0
	}
	return true
}

// allow refuses a function that is not a built-in known to be deterministic.
func (w *walker) allow(name string) {
	if w.analyzer.funcs.deterministic(name, w.env) {
		return
	}
	if reason := w.analyzer.funcs.reason(name); reason != StoredFunction {
		w.refuse(reason, strings.ToUpper(name))
		return
	}
	w.stored(name)
}

// stored refuses a function that may do anything, on the connection too.
func (w *walker) stored(name string) {
	w.stateful = true
	w.refuse(StoredFunction, name)
}

// result returns what is known of the type of a function's value, and notes what becomes of its arguments.
func (w *walker) result(name string, args []value) value {
	switch name {
	case "time", "sec_to_time", "maketime", "timediff", ast.TimeLiteral:
		return w.clock.timeOfDay()
	case "addtime", "subtime":
		return join(args[:min(1, len(args))]...)
	case "if", "nvl2":
		return w.clock.mix(strings.ToUpper(name), args[min(1, len(args)):]...)
	case "coalesce", "ifnull", "nvl", "nullif", "greatest", "least", "max", "min", "any_value", "lag", "lead", "name_const",
		"first_value", "last_value", "nth_value", "round", "floor", "ceil", "ceiling", "truncate", "median", "json_value":
		return w.clock.mix(strings.ToUpper(name), args...)
	case "timestamp":
		w.clock.convert("TIMESTAMP", true, args[:min(1, len(args))]...) // the second one is a TIME to be added
	default:
		if w.analyzer.funcs.clock[name] {
			w.clock.convert(strings.ToUpper(name), false, args...)
		}
	}
	return value{other: true}
}

func (w *walker) cast(n *ast.FuncCastExpr) value {
	v := w.expr(n.Expr)
	if n.Tp.IsArray() {
		w.unsupported(n)
	}
	switch n.Tp.GetType() {
	case mysql.TypeDuration:
		return w.clock.timeOfDay()
	case mysql.TypeDatetime, mysql.TypeTimestamp:
		w.clock.convert("CAST AS DATETIME", true, v)
	case mysql.TypeDate, mysql.TypeYear:
		w.clock.convert("CAST AS DATE", false, v)
	}
	return value{other: true}
}

// wantsTime tells whether EXTRACT takes out what a TIME has by itself.
func wantsTime(args []ast.ExprNode) bool {
	if len(args) == 0 {
		return false
	}
	unit, ok := args[0].(*ast.TimeUnitExpr)
	if !ok {
		return false
	}
	switch unit.Unit {
	case ast.TimeUnitMicrosecond, ast.TimeUnitSecond, ast.TimeUnitMinute, ast.TimeUnitHour, ast.TimeUnitSecondMicrosecond,
		ast.TimeUnitMinuteMicrosecond, ast.TimeUnitMinuteSecond, ast.TimeUnitHourMicrosecond, ast.TimeUnitHourSecond,
		ast.TimeUnitHourMinute:
		return true
	}
	return false
}

// namesDate tells whether the format of STR_TO_DATE is a literal with a part of a date, so that its value is no TIME.
// The literal is read from the text, since the tree may not have it.
func (w *walker) namesDate(args []ast.ExprNode) bool {
	if len(args) != 2 {
		return false
	}
	if _, ok := args[1].(ast.ValueExpr); !ok {
		return false
	}
	l := newLexer(w.in.sql, w.in.mode)
	l.pos = min(args[1].OriginTextPosition(), len(w.in.sql))
	t := l.next()
	if t.kind != stringToken {
		return false
	}
	for _, part := range []string{"%Y", "%y", "%m", "%c", "%M", "%b", "%j"} {
		if strings.Contains(l.text(t), part) {
			return true
		}
	}
	return false
}
