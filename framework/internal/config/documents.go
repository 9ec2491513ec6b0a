package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/duequeue/duequeue/framework/fault"
)

// Bounds of a file of settings. The YAML parser's time and memory grow with the square of the
// depth and of the number of keys, so that a hostile file could keep it busy for minutes.
const (
	MaxText = 128 << 10
	MaxNest = 20 // signs at the start of a line that open a list, a tag or an anchor

	maxFlow    = 50    // brackets that are open at a time
	maxEntries = 5_000 // lines, and commas in them
	maxIndent  = 200   // blanks at the start of a line
)

// Documents parses a text of YAML or JSON and returns its documents, without those that hold
// nothing. It is the one way to the parser: a text that would keep that busy is refused.
func Documents(file string, text []byte) ([]ast.Node, *fault.ConfigError) {
	if reason := TooMuch(text); reason != "" {
		return nil, &fault.ConfigError{Origin: file, Reason: reason}
	}
	if json.Valid(text) { // it may be indented by tabs, which YAML may not; strings hold none
		text = bytes.ReplaceAll(text, []byte("\t"), []byte(" "))
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, SyntaxError(file, err)
	}
	var docs []ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentGroupType {
			docs = append(docs, doc.Body)
		}
	}
	return docs, nil
}

var nesting = regexp.MustCompile(`^\s*(?:(?:[-?:]|[!&][^\s]*)\s+)*`)

// TooMuch says why a text is none that people write as settings; "" where it may be one.
func TooMuch(text []byte) string {
	if len(text) > MaxText {
		return fmt.Sprintf("more than %d KiB: no file of settings is that large", MaxText>>10)
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return "not valid YAML: it holds a zero byte"
	}
	open, entries := 0, 0
	for line := range bytes.Lines(text) {
		if entries += 1 + bytes.Count(line, []byte{','}); entries > maxEntries {
			return fmt.Sprintf("no file of settings: more than %d lines and commas", maxEntries)
		}
		if len(line)-len(bytes.TrimLeft(line, " ")) > maxIndent {
			return fmt.Sprintf("no file of settings: a line begins with more than %d blanks", maxIndent)
		}
		if len(bytes.Fields(nesting.Find(line))) > MaxNest {
			return fmt.Sprintf("no file of settings: a line opens more than %d levels", MaxNest)
		}
		for _, c := range line {
			switch c {
			case '[', '{':
				open++
			case ']', '}':
				open = max(0, open-1)
			}
			if open > maxFlow {
				return fmt.Sprintf("no file of settings: more than %d brackets are open", maxFlow)
			}
		}
	}
	return ""
}
