package daemon

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Duration is a time such as 500ms or 1s.
type Duration time.Duration

// UnmarshalYAML implements [yaml.Unmarshaler].
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: %q is not a duration; write it as 500ms or 1s", n.Line, n.Value)
	}
	*d = Duration(v)
	return nil
}

// Count is a whole number. The decoder itself would take 8.5 for 8.
type Count int

// UnmarshalYAML implements [yaml.Unmarshaler].
func (c *Count) UnmarshalYAML(n *yaml.Node) error {
	v, err := strconv.ParseInt(n.Value, 10, 32)
	if err != nil {
		return fmt.Errorf("line %d: %q is not a whole number", n.Line, n.Value)
	}
	*c = Count(v)
	return nil
}

// ServerID is a server_id of a replica.
type ServerID uint32

// UnmarshalYAML implements [yaml.Unmarshaler].
func (id *ServerID) UnmarshalYAML(n *yaml.Node) error {
	v, err := strconv.ParseUint(n.Value, 10, 32)
	if err != nil {
		return fmt.Errorf("line %d: %q is not a server id, a whole number from 1 to 4294967295", n.Line, n.Value)
	}
	*id = ServerID(v)
	return nil
}

// Size is a number of bytes such as 256MiB, 64M or 1048576. K, M and G are powers of 1024, as in the servers' options.
type Size int64

// UnmarshalYAML implements [yaml.Unmarshaler].
func (s *Size) UnmarshalYAML(n *yaml.Node) error {
	v, err := ParseSize(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	*s = v
	return nil
}

var sizePattern = regexp.MustCompile(`^(?i)(\d+)\s*([KMGT]?)(i?B)?$`)

// ParseSize reads a size.
func ParseSize(text string) (Size, error) {
	m := sizePattern.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, fmt.Errorf("%q is not a size; write it as 256MiB, 64M or a number of bytes", text)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	shift := map[string]int{"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[strings.ToUpper(m[2])]
	if err != nil || n > (1<<62)>>shift {
		return 0, fmt.Errorf("the size %q is too large", text)
	}
	return Size(n << shift), nil
}

// Secret is a password. In the file it may be ${NAME}, for the environment variable of that name. It is not printed.
type Secret string

// String hides the password.
func (Secret) String() string { return "..." }

// GoString hides the password.
func (Secret) GoString() string { return "..." }

var environment = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)

// UnmarshalYAML implements [yaml.Unmarshaler].
func (s *Secret) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: a password must be a text", n.Line)
	}
	*s = Secret(n.Value)
	m := environment.FindStringSubmatch(n.Value)
	if m == nil {
		return nil
	}
	v, ok := os.LookupEnv(m[1])
	if !ok {
		return fmt.Errorf("line %d: the environment variable %s is not set", n.Line, m[1])
	}
	*s = Secret(v)
	return nil
}

var errEmptyFile = errors.New("the file is empty; it has to say at least which server to follow: source.addr, source.user, source.password")
