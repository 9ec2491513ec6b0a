package screen

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// What others wrote cannot command the terminal, in one piece or byte by byte.
func TestTerminalIsNotCommanded(t *testing.T) {
	t.Parallel()
	const hostile = "order\t1\n\x1b[2Jgone \x9b31m \u009b31m \u202egpj.exe \x00 \U000e0041 Straße 注文\n"
	const want = "order\t1\n\\x1b[2Jgone \\x9b31m \\u009b31m \\u202egpj.exe \\x00 \\U000e0041 Straße 注文\n"
	off := false
	for _, step := range []int{1, 2, 3, 1000} {
		var out bytes.Buffer
		w := &Writer{W: &out, JSON: &off}
		for rest := []byte(hostile); len(rest) > 0; {
			n := min(step, len(rest))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		w.Flush()
		if out.String() != want {
			t.Errorf("by %d bytes: got %q", step, out.String())
		}
	}
}

// JSON keeps its meaning.
func TestTerminalKeepsJSON(t *testing.T) {
	t.Parallel()
	value := "\u009b31m \u202e \x7f \U000e0041 ß"
	line, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	on := true
	var out bytes.Buffer
	w := &Writer{W: &out, JSON: &on}
	if _, err := w.Write(line); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != value {
		t.Errorf("got %q: %v", got, err)
	}
	if strings.ContainsAny(out.String(), "\u009b\u202e\x7f") {
		t.Errorf("wrote %q", out.String())
	}
}
