package gtid

import (
	"fmt"
	"strings"
	"testing"
)

// benchmarkSize is that of a large gtid_executed, in bytes. Weir reads such a text several times a second.
const benchmarkSize = 100 << 10

func BenchmarkParse(b *testing.B) {
	for name, item := range map[string]func(i int) string{
		"uuids": func(i int) string { return fmt.Sprintf(",\n3e11fa47-71ca-11e1-9e33-%012x:1-%d", i, 1000+i) },
		"gaps":  func(i int) string { return fmt.Sprintf(":%d-%d", 1000+10*i, 1005+10*i) },
	} {
		text := repeat(textA+":1", item)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(MySQL, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkContains(b *testing.B) {
	s := mustParse(b, MySQL, repeat(textA+":1", func(i int) string { return fmt.Sprintf(":%d-%d", 1000+10*i, 1005+10*i) }))
	for b.Loop() {
		if !s.Contains(OfMySQL(uuidA, "", 1011)) {
			b.Fatal("not found")
		}
	}
}

func repeat(first string, item func(i int) string) string {
	var text strings.Builder
	text.WriteString(first)
	for i := 0; text.Len() < benchmarkSize; i++ {
		text.WriteString(item(i))
	}
	return text.String()
}
