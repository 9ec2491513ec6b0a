package tracking

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func read(text string) (frame, error) {
	r := frames{in: bufio.NewReader(strings.NewReader(text))}
	return r.next()
}

func TestFrames(t *testing.T) {
	t.Parallel()
	f, err := read(">2\r\n$10\r\ninvalidate\r\n*2\r\n$1\r\na\r\n$2\r\n\r\n\r\n")
	if err != nil || f.kind != '>' || f.items[0].text != "invalidate" || f.items[1].items[1].text != "\r\n" {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = read("|1\r\n+ttl\r\n:1\r\n:42\r\n") // an attribute, then the value
	if n, ok := f.number(); err != nil || !ok || n != 42 {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = read("%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n")
	if err != nil || len(f.items) != 2 {
		t.Errorf("%+v, %v", f, err)
	}
	for _, null := range []string{"_\r\n", "$-1\r\n", "*-1\r\n"} {
		if f, err = read(null); err != nil || !f.null {
			t.Errorf("%q: %+v, %v", null, f, err)
		}
	}
	if f, err = read("-ERR no\r\n"); err != nil || !f.failed() || f.text != "ERR no" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestFramesRefuse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"":                             io.EOF,
		"$5\r\nab":                     io.ErrUnexpectedEOF,
		"?\r\n\r\n":                    errFrame,
		"\r\n":                         errFrame,
		":\n":                          errFrame,
		"$1\r\nabc":                    errFrame,
		"$-2\r\n":                      errFrame,
		"*x\r\n":                       errFrame,
		"$2000000\r\n":                 errFrame,
		"*9999999\r\n":                 errFrame,
		"%600000\r\n":                  errFrame,
		strings.Repeat("*1\r\n", 20):   errFrame,
		":" + strings.Repeat("1", 1e5): errFrame,
	} {
		if _, err := read(text); !errors.Is(err, want) {
			t.Errorf("%.20q: %v, want %v", text, err, want)
		}
	}
}

// Whatever comes, reading ends, and takes no more room than came.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n", ">2\r\n$10\r\ninvalidate\r\n_\r\n", ":0\r\n", "+OK\r\n",
		"%2\r\n+a\r\n:1\r\n+b\r\n*0\r\n", "|1\r\n+a\r\n:1\r\n:2\r\n", "*1048576\r\n", "!3\r\nERR\r\n", "=7\r\ntxt:abc\r\n", "#t\r\n", ",1.5\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := frames{in: bufio.NewReader(strings.NewReader(text))}
		for range len(text) + 1 {
			if _, err := r.next(); err != nil {
				return
			}
		}
		t.Error("more values than bytes")
	})
}
