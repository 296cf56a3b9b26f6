package daemon

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"weir/proxy/virtual"
)

func (d *Daemon) settingsTable() virtual.Table {
	return virtual.Table{
		Schema: virtual.Schema, Name: "settings", Privilege: virtual.Process,
		Columns: []virtual.Column{
			column("name", virtual.Text, "key of the configuration file, with its section"),
			column("value", virtual.Long, "what is in force; ... stands for a secret that is set"),
			column("changed_at_run_time", virtual.Flag, "whether SET GLOBAL has given it another value than the file"),
		},
		Rows: d.settingRows,
	}
}

// settingRows walk the configuration in the order of its keys.
func (d *Daemon) settingRows(virtual.Viewer) [][]any {
	var rows [][]any
	now := d.runTime()
	eachSetting(reflect.ValueOf(d.cfg), "", func(name, value string) {
		current, ok := now[name]
		if !ok {
			current = value
		}
		rows = append(rows, []any{name, current, current != value})
	})
	return rows
}

// runTime are the settings that SET GLOBAL changes.
func (d *Daemon) runTime() map[string]string {
	s := d.proxy.QueryCache()
	return map[string]string{
		"cache.query_cache_type":  s.Type().String(),
		"cache.query_cache_size":  settingText(reflect.ValueOf(Size(s.Size()))),
		"cache.query_cache_limit": settingText(reflect.ValueOf(Size(s.Limit()))),
	}
}

// eachSetting calls f for each key. Items of lists have their number in the name.
func eachSetting(v reflect.Value, name string, f func(name, value string)) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			key := v.Type().Field(i).Tag.Get("yaml")
			if key == "" || key == "-" {
				continue
			}
			if name != "" {
				key = name + "." + key
			}
			eachSetting(v.Field(i), key, f)
		}
	case v.Kind() == reflect.Slice && v.Len() > 0:
		for i := range v.Len() {
			eachSetting(v.Index(i), name+"["+strconv.Itoa(i)+"]", f)
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		eachSetting(v.Elem(), name, f)
	default:
		f(name, settingText(v))
	}
}

// settingText writes a value as one would write it in the file.
func settingText(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case Secret:
		if x == "" {
			return ""
		}
		return x.String()
	case Duration:
		return time.Duration(x).String()
	case Size:
		return sizeText(int64(x))
	}
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Pointer {
		return "" // an empty list, or a section that is not there
	}
	return fmt.Sprint(v.Interface())
}

func sizeText(n int64) string {
	for _, unit := range []struct {
		name string
		of   int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= unit.of && n%unit.of == 0 {
			return strconv.FormatInt(n/unit.of, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}
