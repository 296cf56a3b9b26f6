package gtid
// GTID names one transaction.
type GTID struct{}
