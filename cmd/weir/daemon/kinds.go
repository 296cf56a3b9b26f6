package daemon

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// misfitIn is [misfit] for a whole file.
func misfitIn(file []byte) (line int, err error) {
	var root yaml.Node
	if err := yaml.Unmarshal(file, &root); err != nil || len(root.Content) == 0 {
		return 0, err
	}
	return misfit(root.Content[0], reflect.TypeFor[Config](), "")
}

var unmarshaler = reflect.TypeFor[yaml.Unmarshaler]()

// misfit finds the first value below n that is not of the kind that the type has there, and says so in our words. The decoder
// would name the Go type, and neither the key nor all of the value. It is nil if there is none, also for types that decode
// themselves and for keys that the type does not have.
func misfit(n *yaml.Node, t reflect.Type, path string) (line int, err error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Tag == "!!null" || reflect.PointerTo(t).Implements(unmarshaler) {
		return 0, nil
	}
	switch {
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		return misfitBelow(n, t, path)
	case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		return misfitItem(n, t, path)
	case n.Decode(reflect.New(t).Interface()) != nil:
		return n.Line, notOfKind(n, t, path)
	}
	return 0, nil
}

func misfitBelow(n *yaml.Node, t reflect.Type, path string) (line int, err error) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		for f := range t.Fields() {
			if key := f.Tag.Get("yaml"); key == n.Content[i].Value {
				if line, err = misfit(n.Content[i+1], f.Type, under(path, key)); err != nil {
					return line, err
				}
			}
		}
	}
	return 0, nil
}

func misfitItem(n *yaml.Node, t reflect.Type, path string) (line int, err error) {
	for i, item := range n.Content {
		if line, err = misfit(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return line, err
		}
	}
	return 0, nil
}

func under(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// notOfKind repeats values only where nobody would write a password.
func notOfKind(n *yaml.Node, t reflect.Type, path string) error {
	switch {
	case path == "":
		return errors.New("the file has no keys; write each as a key, a colon and its value")
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String && n.Kind == yaml.ScalarNode:
		return fmt.Errorf("%s is a list, also of a single one; write [%s]", path, strconv.Quote(n.Value))
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return fmt.Errorf("%s is a list; write [a, b]", path)
	case t.Kind() == reflect.Slice:
		return fmt.Errorf("%s is a list; begin each item on a line of its own with a dash, as in - %s: ...", path, firstKey(t.Elem()))
	case t.Kind() == reflect.Bool:
		return fmt.Errorf("%s is neither true nor false", path)
	case t.Kind() == reflect.String:
		return fmt.Errorf("%s is a text; put it in quotes, or leave the brackets out", path)
	}
	return fmt.Errorf("%s is a section; put its keys on lines of their own below it, indented, as in %s: ...", path, firstKey(t))
}

func firstKey(t reflect.Type) string { return t.Field(0).Tag.Get("yaml") }
