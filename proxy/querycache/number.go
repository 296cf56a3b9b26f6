package querycache

import (
	"fmt"
	"strconv"

	"weir/proxy/wire"
)

// bounds are those of a variable that is a number.
type bounds struct {
	byDefault, least, most int64
	// step is what values are rounded down to a multiple of.
	step int64
}

// minSize is the smallest query_cache_size that keeps anything. Servers need nearly as much for their own tables; a smaller
// size is 0 to them.
const minSize = 49 << 10

// change assigns a number: it is put within its bounds and rounded, with a warning if that is another number then.
func (s *Settings) change(v *variable, value Value, b bounds, assign func(int64)) Change {
	return func(*Session) (warnings []Warning) {
		if value.Kind == Default {
			assign(b.byDefault)
			return nil
		}
		n := b.fit(value)
		if value.Negative || uint64(n) != value.Number && value.Number != 0 { // 0 stands for the least
			warnings = append(warnings, Warning{wire.CodeTruncatedValue, fmt.Sprintf("Truncated incorrect %s value: '%s'", v.name, spelled(value))})
		}
		if v.name == "query_cache_size" && (n > 0 && n < minSize || n > maxSize) {
			warnings = append(warnings, Warning{wire.CodeCacheResize, fmt.Sprintf("Query cache failed to set size %d; new query cache size is 0", n)})
			n = 0
		}
		assign(n)
		return warnings
	}
}

func (b bounds) fit(value Value) int64 {
	n := b.most
	switch {
	case value.Negative:
		n = b.least
	case value.Number < uint64(b.most):
		n = max(int64(value.Number), b.least)
	}
	return n - n%b.step
}

func spelled(value Value) string {
	if value.Negative {
		return strconv.FormatInt(int64(value.Number), 10)
	}
	return strconv.FormatUint(value.Number, 10)
}

const (
	// maxLimit is the largest query_cache_limit: results are put together in memory before they are kept.
	maxLimit = 1 << 30
	// maxSize is a query_cache_size that no machine has the memory for. Servers find that out by asking for it.
	maxSize = 1 << 44
)
