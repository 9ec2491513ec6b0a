package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxFile bounds what is read of a file.
const maxFile = 1 << 20

// ReadFile reads a text that people have written: settings, users, schemas, certificates. It is
// the one way to such a file, whatever editor has saved it: see [Text].
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fmt.Errorf("%s has more than %d MiB", path, maxFile>>20)
	}
	if err != nil {
		return nil, err
	}
	return Text(raw)
}

var errUTF16 = errors.New("is UTF-16: save it as UTF-8")

// Text returns a text as editors of Unix save it: without the byte order mark in front, and with \n
// at the end of each line. UTF-16, which editors of Windows also save, is an error.
func Text(raw []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return nil, errUTF16
	case len(raw) > 1 && (raw[0] == 0) != (raw[1] == 0): // without a mark: text begins with ASCII
		return nil, errUTF16
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	return bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), nil
}
