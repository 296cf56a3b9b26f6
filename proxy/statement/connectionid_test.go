package statement

import "testing"

func TestPitfall42ConnectionID(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT CONNECTION_ID()":                        "CONNECTION_ID()",
		"  select\tConnection_Id ( )  ;\n":              "Connection_Id ( )",
		"SELECT CONNECTION_ID() AS id":                  "id",
		"SELECT CONNECTION_ID()id;":                     "id",
		"SELECT CONNECTION_ID() as `the id`":            "the id",
		"/* app:7 */ SELECT /**/ CONNECTION_ID() /*x*/": "CONNECTION_ID()",
		"SELECT CONNECTION_ID() pid /* why */ ;":        "pid",

		"SELECT CONNECTION_ID(), 1":                           "",
		"SELECT (CONNECTION_ID())":                            "",
		"SELECT CONNECTION_ID() + 0":                          "",
		"SELECT CONNECTION_ID() FROM t":                       "",
		"SELECT CONNECTION_ID() FROM":                         "",
		"SELECT CONNECTION_ID() AS":                           "",
		"SELECT CONNECTION_ID() AS select":                    "",
		"SELECT CONNECTION_ID() 'id'":                         "",
		"SELECT CONNECTION_ID() `é`":                          "",
		"SELECT CONNECTION_ID() ` id`":                        "",
		"SELECT DISTINCT CONNECTION_ID()":                     "",
		"SELECT `CONNECTION_ID`()":                            "",
		"SELECT CONNECTION_ID(/*x*/)":                         "",
		"SELECT /*!50000 1, */ CONNECTION_ID()":               "",
		"SELECT /*M! 1, */ CONNECTION_ID()":                   "",
		"SELECT /*+ MAX_EXECUTION_TIME(1) */ CONNECTION_ID()": "",
		"SELECT CONNECTION_ID(); SELECT 1":                    "",
		"SELECT CONNECTION_ID() -- x":                         "",
		"SELECTCONNECTION_ID()":                               "",
	} {
		column, ok := ConnectionID(sql)
		if !ok {
			column = ""
		}
		if column != want {
			t.Errorf("%s: the column is %q, want %q", sql, column, want)
		}
	}
}
