package daemon
import ("testing"
"weir/deployments/sandbox"
)
func TestDifferTmp(t *testing.T) {
 for _, fl := range []sandbox.Flavor{sandbox.MySQL, sandbox.MariaDB} {
 t.Run(string(fl), func(t *testing.T){
	w := differWorld(t, fl)
	s := w.atServer("differ")
	x := w.throughWeir("differ")
	text := "SELECT id, name FROM item WHERE kind_id NOT IN (SELECT id FROM kind WHERE id > 1) AND id <> SOME (SELECT item_id FROM label WHERE item_id < 21) ORDER BY id"
	t.Log(s.query(text).cells())
	sql := "SELECT id, name FROM item WHERE kind_id NOT IN (SELECT id FROM kind WHERE id > ?) AND id <> SOME (SELECT item_id FROM label WHERE item_id < ?) ORDER BY id"

	for first := int64(0); first < 10; first++ {
		id := s.mustPrepare(sql)
		s.execute(id, longlongParam(first), longlongParam(21))
		n := len(s.execute(id, longlongParam(1), longlongParam(21)).rows())
		s.closeStatement(id)
		xid := x.mustPrepare(sql)
		x.execute(xid, longlongParam(first), longlongParam(21+first))
		x.execute(xid, longlongParam(1), longlongParam(21))
		x.closeStatement(xid)
		t.Log("server alone: first execution with", first, "then with 1:", n, "rows; fresh:", len(s.oneOff(sql, longlongParam(1), longlongParam(21))[1].rows()))
	}
 })}
}
