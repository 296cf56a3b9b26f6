package daemon

import (
	"bytes"
	"strconv"
	"testing"
)

// FuzzConfig: a file gives a configuration that is valid, or an error that names a line of the file, if any.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"", "source: {addr: 127.0.0.1:3306, user: weir, password: x}\nusers: [{name: app, password: y}]\n",
		"listen: 127.0.0.1:3307\nmax_staleness: 1s\ncache:\n  query_cache_size: 256MiB\n", "sorce: {}\n", "cache: [1]\n", "a: &a [*a]\n", "&ource: {addr: x, user: weir}\nusers: [{password: y}]", "source: {password: ${HOME}}\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		cfg, line, err := parse(text)
		if err == nil {
			if problem := cfg.Validate(); problem != nil {
				t.Fatalf("%q is taken: %v", text, problem)
			}
			return
		}
		if lines := bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r")) + 2; line < 0 || line > lines {
			t.Fatalf("%q: line %d: %v", text, line, err)
		}
	})
}

// FuzzSize: a size is not negative, and the same when it is written as a number.
func FuzzSize(f *testing.F) {
	for _, text := range []string{"256MiB", "64M", "1048576", "1 k", "9999999999T", "-1", "1.5G"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseSize(text)
		if err != nil {
			return
		}
		if again, err := ParseSize(strconv.FormatInt(int64(n), 10)); err != nil || n < 0 || again != n {
			t.Fatalf("%q is %d, and that is %d (%v)", text, n, again, err)
		}
	})
}
