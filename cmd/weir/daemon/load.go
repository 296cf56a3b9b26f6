package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Load reads a configuration file. Unknown keys and bad values are errors, which name the file and the line.
func Load(path string) (Config, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("read the configuration: %w", err)
	}
	cfg, line, err := parse(b)
	if err == nil {
		return cfg, nil
	}
	if line > 0 {
		return Config{}, fmt.Errorf("%s:%d: %w", path, line, err)
	}
	return Config{}, fmt.Errorf("%s: %w", path, err)
}

// parse returns the line that an error is about; zero if it is about no line, such as a key that is missing.
func parse(b []byte) (cfg Config, line int, err error) {
	cfg = Default()
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&cfg); err != nil {
		if errors.Is(err, io.EOF) {
			return cfg, 0, errEmptyFile
		}
		line, err = explain(err)
		return cfg, line, err
	}
	if err := cfg.Validate(); err != nil {
		return cfg, lineOf(b, err), err
	}
	return cfg, 0, nil
}

var (
	withLine     = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?line (\d+): (.*)$`)
	unknownField = regexp.MustCompile(`^field (\S+) not found in type (\S+)$`)
)

// explain takes the line off a message of the YAML decoder and says an unknown key in our words.
func explain(err error) (int, error) {
	text := err.Error()
	var typed *yaml.TypeError
	if errors.As(err, &typed) && len(typed.Errors) > 0 {
		text = typed.Errors[0]
	}
	m := withLine.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, errors.New(text)
	}
	line, _ := strconv.Atoi(m[1])
	if f := unknownField.FindStringSubmatch(m[2]); f != nil {
		return line, fmt.Errorf("unknown key %q%s", f[1], section(f[2]))
	}
	return line, errors.New(m[2])
}

func section(goType string) string {
	name := strings.ToLower(goType[strings.LastIndexByte(goType, '.')+1:])
	if name == "config" {
		return ""
	}
	return " in " + name
}

// lineOf finds the line of the key that a message of Validate names, the longest one if there are several.
func lineOf(b []byte, err error) int {
	var root yaml.Node
	if yaml.Unmarshal(b, &root) != nil || len(root.Content) == 0 {
		return 0
	}
	best, line := "", 0
	eachKey(root.Content[0], "", func(path string, at int) {
		last := path[strings.LastIndexByte(path, '.')+1:]
		for _, name := range [...]string{path, last} {
			if len(name) > len(best) && names(err.Error(), name) {
				best, line = name, at
			}
		}
	})
	return line
}

// names reports whether the message has the key as a word of its own.
func names(message, key string) bool {
	for from := 0; ; {
		i := strings.Index(message[from:], key)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(key)
		if (start == 0 || !isKeyByte(message[start-1])) && (end == len(message) || !isKeyByte(message[end])) {
			return true
		}
		from = end
	}
}

func isKeyByte(c byte) bool {
	return c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func eachKey(n *yaml.Node, path string, f func(path string, line int)) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			at := strings.TrimPrefix(path+"."+n.Content[i].Value, ".")
			f(at, n.Content[i].Line)
			eachKey(n.Content[i+1], at, f)
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			eachKey(item, path, f)
		}
	}
}
