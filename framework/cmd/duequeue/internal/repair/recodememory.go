package repair

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
)

// fileMemory remembers in a file what recode has written: a line for each element, with the beginning
// of its digest.
type fileMemory struct {
	file  *os.File
	known map[string]bool
}

func openMemory(name string) (*fileMemory, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	m := &fileMemory{file, map[string]bool{}}
	data, err := os.ReadFile(name)
	if err == nil && len(data) > 0 && data[len(data)-1] != '\n' { // what an end of the process cut off
		_, err = file.WriteString("\n")
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	for line := range bytes.Lines(data) {
		m.known[string(bytes.TrimSpace(line))] = true
	}
	return m, nil
}

func lineOf(element []byte) string {
	sum := sha256.Sum256(element)
	return hex.EncodeToString(sum[:16])
}

func (m *fileMemory) Has(element []byte) bool { return m.known[lineOf(element)] }

// Add writes the lines before the elements are written: a message that was written and is not in the
// file would be taken for an old one.
func (m *fileMemory) Add(elements [][]byte) error {
	var b bytes.Buffer
	for _, e := range elements {
		line := lineOf(e)
		m.known[line] = true
		b.WriteString(line + "\n")
	}
	if _, err := m.file.Write(b.Bytes()); err != nil {
		return fmt.Errorf("remember what is written: %w", err)
	}
	return m.file.Sync()
}
