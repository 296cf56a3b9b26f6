package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
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
		line, err = explain(b, err)
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

// explain takes the line off a message of the YAML decoder and says an unknown key, or a value of the wrong kind, in our words.
func explain(b []byte, err error) (int, error) {
	text := err.Error()
	var typed *yaml.TypeError
	if errors.As(err, &typed) && len(typed.Errors) > 0 {
		text = typed.Errors[0]
	}
	if strings.Contains(text, "cannot unmarshal") {
		if line, err := misfitIn(b); err != nil {
			return line, err
		}
	}
	m := withLine.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, errors.New(text)
	}
	line, _ := strconv.Atoi(m[1])
	if f := unknownField.FindStringSubmatch(m[2]); f != nil {
		return line, unknownKey(f[1], f[2][strings.LastIndexByte(f[2], '.')+1:])
	}
	return line, errors.New(m[2])
}

// unknownKey says which keys there are in the section, whose Go type's name the decoder gives.
func unknownKey(key, section string) error {
	where := ""
	if section != "Config" {
		where = " in " + strings.ToLower(section)
	}
	return fmt.Errorf("unknown key %q%s; the keys are %s", key, where, strings.Join(keysOf(reflect.TypeFor[Config](), section), ", "))
}

// keysOf finds the struct of that name in t or below, and returns its keys.
func keysOf(t reflect.Type, name string) (keys []string) {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if t.Name() == name {
			keys = append(keys, f.Tag.Get("yaml"))
		} else if keys = keysOf(f.Type, name); keys != nil {
			return keys
		}
	}
	return keys
}

// lineOf finds the line of the key that a message of Validate names, the first one if there are several.
func lineOf(b []byte, err error) int {
	var root yaml.Node
	if yaml.Unmarshal(b, &root) != nil || len(root.Content) == 0 {
		return 0
	}
	first, line := len(err.Error()), 0
	eachKey(root.Content[0], "", func(path string, at int) {
		last := path[strings.LastIndexByte(path, '.')+1:]
		for _, name := range [...]string{path, last} {
			if i := wordIn(err.Error(), name); i >= 0 && i < first {
				first, line = i, at
			}
		}
	})
	return line
}

// wordIn returns where the message has the key as a word of its own, or -1.
func wordIn(message, key string) int {
	for from := 0; key != ""; {
		i := strings.Index(message[from:], key)
		if i < 0 {
			return -1
		}
		start, end := from+i, from+i+len(key)
		if (start == 0 || !isKeyByte(message[start-1])) && (end == len(message) || !isKeyByte(message[end])) {
			return start
		}
		from = end
	}
	return -1
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
