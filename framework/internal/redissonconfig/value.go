package redissonconfig

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// setting is one setting of the file, with the node that is its value.
type setting struct {
	row    // zero where it is not kept
	node   ast.Node
	text   string   // of a plain value
	texts  []string // of a list
	number int64
	class  string // behind a tag, or under "class"
	null   bool
	note   Note
}

// read reads the value as the type of the setting wants it, and returns what is wrong.
func (s *setting) read() string {
	switch s.node.(type) {
	case nil, *ast.NullNode:
		s.null = true
		return ""
	case *ast.AnchorNode, *ast.AliasNode:
		return "anchors and aliases are not followed: write the value itself"
	}
	switch s.kind {
	case "int", "boolean", "text", "URL", "NONE|CA_ONLY|STRICT":
		return s.readPlain()
	case "texts":
		return s.readList()
	}
	return s.readObject()
}

func (s *setting) readList() string {
	list, ok := s.node.(*ast.SequenceNode)
	if !ok {
		return "must be a list, such as [redis://10.0.0.1:6379]"
	}
	for _, item := range list.Values {
		text, ok := config.Scalar(item)
		if !ok {
			return "must be a list of plain texts"
		}
		s.texts = append(s.texts, text)
	}
	s.note.Value = s.show(s.texts...)
	return ""
}

// readPlain reads a plain value; 4.x takes a text as a list of one, and documents of old
// releases write it so.
func (s *setting) readPlain() string {
	if list, ok := s.node.(*ast.SequenceNode); ok {
		if s.kind != "text" || len(list.Values) != 1 {
			return "must be a single value, not a list"
		}
		s.node = list.Values[0]
	}
	var ok bool
	if s.text, ok = config.Scalar(s.node); !ok {
		return "must be a plain value"
	}
	s.note.Value = s.show(s.text)
	switch s.kind {
	case "int":
		base := 0
		if at := s.node.GetToken(); at.Type == token.DoubleQuoteType || at.Type == token.SingleQuoteType {
			base = 10
		}
		n, err := strconv.ParseInt(strings.ReplaceAll(s.text, "_", ""), base, 64)
		if err != nil || n > math.MaxInt32 || n < math.MinInt32 {
			return "must be a whole number that fits Java's int"
		}
		s.number = n
	case "boolean":
		switch strings.ToLower(s.text) {
		case "true", "yes", "on":
			s.text = "true"
		case "false", "no", "off":
			s.text = "false"
		default:
			return "must be true or false"
		}
	case "text", "URL":
	default: // constants
		if all := strings.Split(s.kind, "|"); !slices.Contains(all, s.text) {
			return "must be one of " + strings.Join(all, ", ")
		}
	}
	return ""
}

// readObject reads the class of an object, which is a tag in YAML and an entry in JSON.
func (s *setting) readObject() string {
	if tag, ok := s.node.(*ast.TagNode); ok {
		s.class = strings.Trim(tag.Start.Value, "!<>")
		s.node = tag.Value
	}
	switch {
	case isMapping(s.node):
		for _, e := range config.Entries(s.node) {
			if text, ok := config.Scalar(e.Value); ok && keyOf(e) == "class" && s.class == "" {
				s.class = text
			}
		}
	case s.node == nil:
		s.node = &ast.NullNode{}
	case !isNull(s.node):
		return fmt.Sprintf("must be an object, such as !<org.redisson.%s> {}", s.kind)
	}
	s.note.Value = codecs.Printable(s.class, maxShown)
	return ""
}

// isSecret are settings whose values are never shown.
func isSecret(name string) bool { return name == "password" || name == "sentinelPassword" }

// show is a value as it may be printed. In the URL of a store a password may stand anywhere.
func (s *setting) show(texts ...string) string {
	shown := make([]string, len(texts))
	for i, text := range texts {
		switch {
		case isSecret(s.name):
			text = config.HideSecret(text)
		case s.kind == "URL":
			text = config.Hidden
		case strings.Contains(strings.ToLower(s.name), "address"):
			text = config.HideURL(text)
		}
		shown[i] = codecs.Printable(text, maxShown)
	}
	return codecs.Printable(strings.Join(shown, ", "), maxShown)
}
