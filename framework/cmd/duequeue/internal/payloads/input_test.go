package payloads

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLineReader(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	in := &lineReader{r: bufio.NewReaderSize(strings.NewReader("a\r\n"+long+"\n\nb\n"+long), 16), limit: 100}
	for i, want := range []string{"a", "LONG", "", "b", "LONG", "EOF", "EOF"} {
		line, err := in.next()
		got := string(line)
		switch {
		case errors.Is(err, errLineTooLong):
			got = "LONG"
		case errors.Is(err, io.EOF):
			got = "EOF"
		case err != nil:
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("line %d: %q, want %q", i, got, want)
		}
	}
}
