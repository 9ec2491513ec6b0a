package payloads

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/config"
	"github.com/duequeue/duequeue/framework/internal/decoding"
)

// encoding is how payload bytes are written down: -in.
type encoding string

func (in encoding) valid() error {
	switch in {
	case "hex", "base64", "raw":
		return nil
	}
	return env.Usagef("-in %q: there are hex, base64 and raw", string(in))
}

// bytes returns the payload behind text. Blanks between hex or base64 digits do
// not matter, nor does base64's alphabet and padding.
func (in encoding) bytes(text []byte) ([]byte, error) {
	if in == "raw" {
		return text, nil
	}
	text, err := config.Text(text)
	if err != nil {
		return nil, fmt.Errorf("the input %w", err)
	}
	if in == "hex" {
		var b []byte
		b, err = hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
		if err != nil {
			return nil, fmt.Errorf("not hex: %w", err)
		}
		return b, nil
	}
	b, err := decoding.Base64(string(text))
	if err != nil {
		return nil, fmt.Errorf("not base64: %w", err)
	}
	return b, nil
}

// textLimit returns how long the text of a payload of at most limit bytes may
// be: hex with blanks between the digits.
func textLimit(limit int) int { return 3*limit + 1024 }

// source opens what the payload is read from: the file, or standard input.
func source(e *env.Env, file string) (io.ReadCloser, error) {
	if file == "" || file == "-" {
		return io.NopCloser(e.Stdin), nil
	}
	return os.Open(file)
}

// readAll reads a whole source of at most limit bytes.
func readAll(r io.Reader, limit int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err == nil && len(b) > limit {
		err = fmt.Errorf("more than %d bytes of input (-max)", limit)
	}
	return b, err
}

// lineReader reads lines of any length and keeps those up to a limit.
type lineReader struct {
	r     *bufio.Reader
	limit int
}

// errLineTooLong is returned for a line over the limit; it was skipped.
var errLineTooLong = errors.New("line too long")

// next returns the next line without its end, io.EOF after the last one. The
// line is valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(line)+len(part) > l.limit+2; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (len(line) > 0 || long):
			// The last line has no end.
		case err != nil:
			return nil, err
		}
		if long {
			return nil, errLineTooLong
		}
		return trimEnd(line), nil
	}
}

func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}
