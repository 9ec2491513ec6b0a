package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// differ returns the first arrivals in which two records differ, "" where they are alike.
func differ(one, other string) (string, error) {
	a, err := open(one)
	if err != nil {
		return "", err
	}
	defer func() { _ = a.file.Close() }()
	b, err := open(other)
	if err != nil {
		return "", err
	}
	defer func() { _ = b.file.Close() }()
	for number := 1; ; number++ {
		x, endOfA := a.lines.ReadString('\n')
		y, endOfB := b.lines.ReadString('\n')
		switch {
		case x != y:
			return fmt.Sprintf("at line %d: %.100q and %.100q", number, x, y), nil
		case endOfA != nil:
			return "", errors.Join(ended(endOfA), ended(endOfB))
		}
	}
}

type recordFile struct {
	file  *os.File
	lines *bufio.Reader
}

func open(name string) (recordFile, error) {
	file, err := os.Open(name)
	if err != nil {
		return recordFile{}, err
	}
	packed, err := gzip.NewReader(file)
	if err != nil {
		_ = file.Close()
		return recordFile{}, err
	}
	return recordFile{file, bufio.NewReader(packed)}, nil
}

// ended is nil for the end of a file.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
