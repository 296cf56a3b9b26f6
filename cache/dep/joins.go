package dep

// joins compares by class.
//
// Numbers and times that differ in the digits behind the point are left out, although values are equal only if they have one
// encoding. MySQL 9.7 looks a value of one column up in the index of the other as what that column makes of it: 1 in an
// index of DECIMAL(9,9) as 0.999999999, 05.12 in one of DATETIME(1) as 05.1. It then takes for equal what it finds.
// Integers of different sizes it does not confuse.
func (t *Type) joins(u *Type) bool {
	if t.Class != u.Class {
		return false
	}
	switch t.Class {
	case Whole, Date:
		return true
	case Decimal:
		return t.size == u.size && t.Scale == u.Scale && t.Unsigned == u.Unsigned
	case DateTime:
		return t.Scale == u.Scale
	case Text:
		return t.text != nil && u.text != nil && t.text.name == u.text.name
	case Bytes:
		return (t.Name == "binary") == (u.Name == "binary")
	}
	return false
}
