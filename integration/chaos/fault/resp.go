package fault

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// errProtocol tells that what goes through a proxy is not Redis's protocol.
var errProtocol = errors.New("not RESP")

// readValue reads one value of RESP2 or RESP3 with all that belongs to it, as it stands
// on the wire.
func readValue(r *bufio.Reader) ([]byte, error) {
	var raw []byte
	for missing := 1; missing > 0; missing-- {
		line, err := r.ReadBytes('\n')
		raw = append(raw, line...)
		if err != nil {
			return nil, err
		}
		if len(line) < 3 {
			return nil, fmt.Errorf("%w: line %q", errProtocol, line)
		}
		switch line[0] {
		case '+', '-', ':', '_', ',', '#', '(':
			continue
		}
		n, err := strconv.Atoi(string(line[1 : len(line)-2]))
		if err != nil {
			return nil, fmt.Errorf("%w: line %.40q", errProtocol, line)
		}
		switch line[0] {
		case '$', '=', '!':
			if n < 0 {
				continue // null
			}
			if raw, err = readMore(r, raw, n+2); err != nil {
				return nil, err
			}
		case '*', '~', '>':
			missing += max(n, 0)
		case '%':
			missing += 2 * n
		case '|': // attributes stand before the value that they describe
			missing += 2*n + 1
		default:
			return nil, fmt.Errorf("%w: line %.40q", errProtocol, line)
		}
	}
	return raw, nil
}

// readMore appends n bytes.
func readMore(r *bufio.Reader, raw []byte, n int) ([]byte, error) {
	at := len(raw)
	raw = append(raw, make([]byte, n)...)
	_, err := io.ReadFull(r, raw[at:])
	return raw, err
}

// Command is what a client sent: its name and arguments.
type Command [][]byte

// Name is the command's name in upper case, "" for none.
func (c Command) Name() string {
	if len(c) == 0 {
		return ""
	}
	return string(bytes.ToUpper(c[0]))
}

// readCommand reads a command as an array of strings, or as a line, and as it stands
// on the wire.
func readCommand(r *bufio.Reader) (Command, []byte, error) {
	first, err := r.Peek(1)
	if err != nil {
		return nil, nil, err
	}
	if first[0] != '*' {
		line, failed := r.ReadBytes('\n')
		return bytes.Fields(line), line, failed
	}
	raw, err := readValue(r)
	if err != nil {
		return nil, nil, err
	}
	return stringsOf(raw), raw, nil
}

// stringsOf returns the strings of a flat array, up to the first other value.
func stringsOf(raw []byte) [][]byte {
	_, rest, _ := bytes.Cut(raw, []byte("\r\n"))
	var all [][]byte
	for len(rest) > 0 && rest[0] == '$' {
		line, body, found := bytes.Cut(rest[1:], []byte("\r\n"))
		n, err := strconv.Atoi(string(line))
		if !found || err != nil || n < 0 || n+2 > len(body) {
			break
		}
		all = append(all, body[:n])
		rest = body[n+2:]
	}
	return all
}
