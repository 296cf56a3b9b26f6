package explain

import explaining "weir/proxy/explain"

// VerdictError is what a run ends with that has told why a statement is not answered from the cache: there is nothing more to say.
type VerdictError struct {
	verdict explaining.Verdict
	code    int
}

// Error gives the verdict.
func (v VerdictError) Error() string { return string(v.verdict) }

// ExitCode is for scripts: 3 for not now, 4 for not cacheable, 5 for refused. What went wrong is 1.
func (v VerdictError) ExitCode() int { return v.code }

// Quiet says that the error has been told.
func (v VerdictError) Quiet() bool { return true }

func exitOf(v explaining.Verdict) error {
	switch v {
	case explaining.Cached, explaining.Storable:
		return nil
	case explaining.NotNow:
		return VerdictError{v, 3}
	case explaining.NotCacheable:
		return VerdictError{v, 4}
	}
	return VerdictError{v, 5}
}
