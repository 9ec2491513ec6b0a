package config

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// encoded is a text as editors save it.
func encoded(order binary.ByteOrder, mark, text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(mark + text)) {
		out = append(out, 0, 0)
		order.PutUint16(out[len(out)-2:], unit)
	}
	return string(out)
}

// A file says the same whatever editor has saved it, or names what it is.
func TestFilesOfAllEditors(t *testing.T) {
	t.Parallel()
	const text = "redis:\n  url: redis://h\n"
	windows := strings.ReplaceAll(text, "\n", "\r\n")
	for name, c := range map[string]struct{ raw, want string }{
		"Unix":                       {text, text},
		"empty":                      {"", ""},
		"one byte":                   {"x", "x"},
		"byte order mark":            {"\ufeff" + text, text},
		"CRLF":                       {windows, text},
		"both":                       {"\ufeff" + windows, text},
		"a lone CR stays":            {"a\rb", "a\rb"},
		"UTF-16":                     {encoded(binary.LittleEndian, "\ufeff", text), ""},
		"UTF-16, big endian":         {encoded(binary.BigEndian, "\ufeff", text), ""},
		"UTF-16 without a mark":      {encoded(binary.LittleEndian, "", text), ""},
		"UTF-16 without one, big":    {encoded(binary.BigEndian, "", text), ""},
		"UTF-16, nothing but a mark": {encoded(binary.LittleEndian, "\ufeff", ""), ""},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(c.raw), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(path)
		if strings.HasPrefix(name, "UTF-16") {
			if err == nil || !strings.Contains(err.Error(), "is UTF-16: save it as UTF-8") {
				t.Errorf("%s: %v", name, err)
			}
		} else if string(got) != c.want || err != nil {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(large); err == nil {
		t.Error("a file without an end is read")
	}
}
