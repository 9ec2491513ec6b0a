package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestHugeLine: a line far over the limit is skipped, and the next one
// is decoded.
func TestHugeLine(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	in := io.MultiReader(io.LimitReader(endless('0'), 4<<20), strings.NewReader("\n036162e3\n"))
	code := run(t.Context(), []string{"decode", "-lines", "-max", "1000"}, in, &out, &errs)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if code != exitFailed || len(lines) != 2 || !strings.Contains(lines[0], "line too long") || !strings.Contains(lines[1], `"abc"`) {
		t.Errorf("exit %d, %s%s", code, out.String(), errs.String())
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// TestTooMuchInput: a single payload is bounded as well.
func TestTooMuchInput(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"decode", "-max", "1000"}, endless('0'), &out, &errs)
	if code != exitFailed || !strings.Contains(errs.String(), "-max") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

func (broken) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

// TestBrokenStreams: what cannot be read or written is exit 1.
func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"decode", "00"}, {"-json", "decode", "00"}, {"help"}, {"version"}, {"decode", "-lines"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader("00\n"), broken{}, &errs); code != exitFailed || !strings.Contains(errs.String(), "pipe closed") {
			t.Errorf("%v: exit %d, %s", args, code, errs.String())
		}
	}
	for _, args := range [][]string{{"decode"}, {"decode", "-lines"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, broken{}, &out, &errs); code != exitFailed || !strings.Contains(errs.String(), "disk on fire") {
			t.Errorf("%v: exit %d, %s", args, code, errs.String())
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"decode", "-lines"}, strings.NewReader("00\n"), &out, &errs); code != exitFailed || out.Len() > 0 {
		t.Errorf("exit %d, %s", code, out.String())
	}
}

// TestExitCodes pins the numbers that scripts rely on.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	for want, args := range map[int][]string{0: {"decode", "00"}, 1: {"decode", "zz"}, 2: {"decode", "-in", "x"}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, strings.NewReader(""), &out, &errs); code != want {
			t.Errorf("%v: exit %d, want %d: %s", args, code, want, errs.String())
		}
	}
}

func FuzzDecodeLines(f *testing.F) {
	f.Add("hex", "kryo5", []byte("036162e3\n00\nxx\n"))
	f.Add("raw", "jsonjackson", []byte("{\"@class\":\"java.util.HashMap\"}\n[\n"))
	f.Add("base64", "string", []byte("YQ==\n-_\n"))
	f.Fuzz(func(t *testing.T, in, codec string, input []byte) {
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"decode", "-lines", "-roundtrip", "-in", in, "-codec", codec}, bytes.NewReader(input), &out, &errs)
		if code == exitUsage {
			return
		}
		lines := bytes.Count(input, []byte("\n"))
		if len(input) > 0 && input[len(input)-1] != '\n' {
			lines++
		}
		if got := bytes.Count(out.Bytes(), []byte("\n")); got != lines {
			t.Fatalf("%d lines in, %d out", lines, got)
		}
	})
}
