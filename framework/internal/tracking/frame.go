package tracking

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Bounds of what is read: keys and numbers are all that Redis has to say here.
const (
	maxBulk  = 1 << 20
	maxItems = 1 << 20
	maxDepth = 8
)

var errFrame = errors.New("tracking: what the server sends is not RESP3")

// frame is one value as Redis sends it.
type frame struct {
	kind  byte    // the first byte
	text  string  // of texts and errors, and what stands in one line
	null  bool    // no value, of whatever kind
	items []frame // of lists, sets, pushes and maps, where keys and values take turns
}

// number is the value of an integer.
func (f *frame) number() (int64, bool) {
	if f.kind != ':' {
		return 0, false
	}
	n, err := strconv.ParseInt(f.text, 10, 64)
	return n, err == nil
}

// failed reports whether Redis answered with an error.
func (f *frame) failed() bool { return f.kind == '-' || f.kind == '!' }

// frames reads values. budget bounds the items of one of them, nested ones included.
type frames struct {
	in     *bufio.Reader
	budget int
}

// next reads one value; attributes that come before it are skipped.
func (r *frames) next() (frame, error) {
	r.budget = maxItems
	return r.read(0)
}

func (r *frames) read(depth int) (frame, error) {
	for {
		line, err := r.line()
		if err != nil {
			return frame{}, err
		}
		f := frame{kind: line[0]}
		switch rest := line[1:]; f.kind {
		case '+', '-', ':', ',', '#', '(':
			f.text = rest
			return f, nil
		case '_':
			f.null = true
			return f, nil
		case '$', '!', '=':
			err = r.bulk(&f, rest)
			return f, err
		case '*', '~', '>':
			err = r.list(&f, rest, 1, depth)
			return f, err
		case '%':
			err = r.list(&f, rest, 2, depth)
			return f, err
		case '|': // the value comes behind it
			if err := r.list(&f, rest, 2, depth); err != nil {
				return frame{}, err
			}
		default:
			return frame{}, fmt.Errorf("%w: a line that begins with %q", errFrame, line[:1])
		}
	}
}

// line reads a line without its end. It has one byte at least.
func (r *frames) line() (string, error) {
	line, err := r.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("%w: a line of more than %d bytes", errFrame, len(line))
	case err != nil:
		return "", err
	case len(line) < 3 || line[len(line)-2] != '\r':
		return "", fmt.Errorf("%w: %q", errFrame, line)
	}
	return string(line[:len(line)-2]), nil
}

// size reads a length; -1 is the null of RESP2.
func (f *frame) size(text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < -1 || n > most:
		return 0, fmt.Errorf("%w: length %q", errFrame, text)
	case n == -1:
		f.null = true
		return 0, nil
	}
	return n, nil
}

func (r *frames) bulk(f *frame, length string) error {
	n, err := f.size(length, maxBulk)
	if err != nil || f.null {
		return err
	}
	body := make([]byte, n+2)
	if _, err := io.ReadFull(r.in, body); err != nil {
		return err
	}
	if string(body[n:]) != "\r\n" {
		return fmt.Errorf("%w: a text without an end", errFrame)
	}
	f.text = string(body[:n])
	return nil
}

func (r *frames) list(f *frame, length string, each, depth int) error {
	n, err := f.size(length, maxItems/each)
	if err != nil || f.null {
		return err
	}
	if r.budget -= n * each; r.budget < 0 || depth == maxDepth {
		return fmt.Errorf("%w: too many values in one", errFrame)
	}
	for range n * each { // room is made as they come, not as many as are announced
		item, err := r.read(depth + 1)
		if err != nil {
			return err
		}
		f.items = append(f.items, item)
	}
	return nil
}
