package redissonconfig

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/avro"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// parsers are all that read a file of settings which a user wrote.
var parsers = map[string]func(text string) error{
	"ours": func(text string) error {
		var into struct {
			Redis struct {
				URL string `yaml:"url"`
			} `yaml:"redis"`
		}
		r := config.Read(&into, config.Source{File: "duequeue.yaml", YAML: []byte(text)})
		return r.Mistakes(func() fault.ConfigErrors { return nil })
	},
	"section": func(text string) error {
		var into struct{}
		r := config.Read(&into, config.Source{File: "application.yaml", YAML: []byte(text), Section: "app.duequeue"})
		return r.Mistakes(func() fault.ConfigErrors { return nil })
	},
	"Redisson's": func(text string) error {
		_, err := Read(Source{File: "redisson.yaml", Text: []byte(text)})
		return err
	},
	"schema": func(text string) error {
		_, err := avro.Jackson(text).Decode([]byte{1})
		return err
	},
}

// TestEveryParserIsBounded gives deep, wide and long texts to all of them. It counts bytes, and
// is not parallel for that.
func TestEveryParserIsBounded(t *testing.T) {
	lines := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	var stairs strings.Builder
	for i := range 190 {
		stairs.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	for name, text := range map[string]string{
		"open brackets":    "redis: " + strings.Repeat("[", 5_000),
		"brackets":         strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000),
		"braces":           strings.Repeat(`{"a":`, 5_000) + "1" + strings.Repeat("}", 5_000),
		"few brackets":     "redis: " + strings.Repeat("[", 50) + strings.Repeat("]", 50),
		"dashes":           strings.Repeat("- ", 5_000),
		"question marks":   strings.Repeat("? ", 5_000),
		"stairs":           stairs.String(),
		"deep stairs":      lines(400, func(i int) string { return strings.Repeat(" ", i) + "a:" }),
		"keys":             lines(2_000, func(i int) string { return fmt.Sprintf("k%d: 1", i) }),
		"too many keys":    lines(5_001, func(i int) string { return fmt.Sprintf("k%d:", i) }),
		"keys in a line":   "redis: {" + strings.Repeat("a: 1, ", 2_000) + "b: 1}",
		"values in a line": "redis: [" + strings.Repeat("1,", 4_000) + "1]",
		"many in a line":   "redis: [" + strings.Repeat("1,", 6_000) + "1]",
		"long text":        "redis: " + strings.Repeat("a", 120<<10),
		"longer text":      "redis: " + strings.Repeat("a", 200<<10),
		"aliases":          "a: &a [1, 1]\n" + lines(30, func(i int) string { return fmt.Sprintf("a%d: &a%d [*a%d, *a%d]", i, i, i-1, i-1) }),
		"merges":           lines(1_000, func(i int) string { return fmt.Sprintf("m%d: &m%d\n  <<: *m%d", i, i, i-1) }),
	} {
		for parser, parse := range parsers {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := parse(text)
			runtime.ReadMemStats(&after)
			used := after.TotalAlloc - before.TotalAlloc
			if most := uint64(192 << 20); used > most {
				t.Errorf("%s, %s: %d bytes took %d: %v", name, parser, len(text), used, err)
			}
		}
	}
}
