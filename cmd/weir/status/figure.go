package status

import (
	"math"
	"strconv"
)

// Figure is a number that may be unknown: NaN here, null in JSON, which has no NaN.
type Figure float64

// Unknown is a figure that nobody can tell.
func Unknown() Figure { return Figure(math.NaN()) }

// Known reports whether there is a number.
func (f Figure) Known() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

// digits are what is sent of a figure: what is drawn needs no more, and ten minutes of it are many.
const digits = 5

// MarshalJSON implements [json.Marshaler].
func (f Figure) MarshalJSON() ([]byte, error) {
	if !f.Known() {
		return []byte("null"), nil
	}
	format := byte('g')
	if abs := math.Abs(float64(f)); abs >= 1000 || abs == 0 {
		return strconv.AppendFloat(nil, math.Round(float64(f)), 'f', -1, 64), nil
	}
	return strconv.AppendFloat(nil, float64(f), format, digits, 64), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (f *Figure) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = Unknown()
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	*f = Figure(v)
	return err
}

// ratio is part of whole, and unknown of nothing.
func ratio(part, whole Figure) Figure {
	if !(whole > 0) {
		return Unknown()
	}
	return part / whole
}
