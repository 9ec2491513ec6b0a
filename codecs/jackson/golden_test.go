package jackson_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// goldenRow is one value that a release of Redisson wrote, or failed to write.
type goldenRow struct {
	codec, where, sample string
	payload              []byte
	failed               string
}

// golden returns the rows of a release. Files of older ones hold those that differ.
func golden(t testing.TB, release string) []goldenRow {
	t.Helper()
	text, err := os.ReadFile("testdata/" + release + ".tsv")
	if err != nil {
		t.Fatal(err)
	}
	var rows []goldenRow
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		row := goldenRow{codec: cells[0], where: cells[1], sample: cells[2]}
		if strings.HasPrefix(cells[3], "WRITEFAIL") {
			row.failed = cells[3]
		} else if row.payload, err = hex.DecodeString(cells[3]); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, row)
	}
	return rows
}

// goldenCodec returns the Go twin of a codec that wrote rows.
func goldenCodec(t testing.TB, name, release string) codecs.Codec {
	t.Helper()
	name, option, _ := strings.Cut(name, "+")
	opts := []jackson.Option{jackson.Since(release)}
	switch option {
	case "JavaTime":
		opts = append(opts, jackson.JavaTime())
	case "DatesAsText":
		opts = append(opts, jackson.DatesAsText())
	}
	switch name {
	case "JsonJacksonCodec":
		return jackson.JsonJackson(opts...)
	case "TypedJsonJacksonCodec":
		return jackson.TypedJsonJackson(opts...)
	case "JsonJackson3Codec":
		return jackson.JsonJackson3(opts...)
	case "TypedJsonJackson3Codec":
		return jackson.TypedJsonJackson3(opts...)
	}
	t.Fatalf("no codec %s", name)
	return nil
}

var releases = []string{"3.8.1", "3.12.5", "3.18.1", "3.19.0", "3.30.0", "3.45.1", "4.1.0", "4.3.1", "4.7.0"}

// TestGolden: what every release wrote is read, and written again to the byte.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			twins := map[string]codecs.Codec{}
			for _, row := range golden(t, release) {
				if row.failed != "" || row.codec == "JsonJackson3Codec" && row.where == "root" && row.sample == "Optional of Long" {
					continue // a Long at the root is bare, unless it was in an Optional
				}
				c := twins[row.codec]
				if c == nil {
					c = goldenCodec(t, row.codec, release)
					twins[row.codec] = c
				}
				v, err := c.Decode(row.payload)
				if err != nil {
					t.Errorf("%s %s %s: %v\n%s", row.codec, row.where, row.sample, err, row.payload)
					continue
				}
				back, err := c.Encode(v)
				if err != nil || !bytes.Equal(back, row.payload) {
					t.Errorf("%s %s %s: %v\nJava %s\nGo   %s", row.codec, row.where, row.sample, err, row.payload, back)
				}
			}
		})
	}
}
