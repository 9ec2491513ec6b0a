package redissonconfig

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// read reads the value as the type of the setting wants it, and returns what is wrong.
func (s *setting) read() string {
	node := s.node
	if isNull(node) {
		s.null = true
		return ""
	}
	switch node.(type) {
	case *ast.AnchorNode, *ast.AliasNode:
		return "anchors and aliases are not followed: write the value itself"
	}
	if s.isObject() {
		return s.readObject(node)
	}
	if list, ok := node.(*ast.SequenceNode); ok {
		return s.readList(list)
	}
	text, ok := config.Scalar(node)
	if !ok {
		return "must be a plain value"
	}
	s.text = text
	s.note.Value = s.show(text)
	if s.kind == "texts" {
		return "must be a list, such as [redis://10.0.0.1:6379]"
	}
	return s.check(node.GetToken())
}

func (s *setting) readList(list *ast.SequenceNode) string {
	for _, item := range list.Values {
		text, ok := config.Scalar(item)
		if !ok {
			return "must be a list of plain texts"
		}
		s.texts = append(s.texts, text)
	}
	shown := make([]string, len(s.texts))
	for i, text := range s.texts {
		shown[i] = s.show(text)
	}
	s.note.Value = codecs.Printable(strings.Join(shown, ", "), maxShown)
	switch {
	case s.kind == "texts":
		return ""
	case s.kind == "text" && len(s.texts) == 1: // 4.x takes it, and documents of old releases write it
		s.text = s.texts[0]
		return ""
	}
	return "must be a single value, not a list"
}

// check compares a plain value with the type of the setting.
func (s *setting) check(at *token.Token) string {
	switch s.kind {
	case "int", "long":
		base := 0
		if at.Type == token.DoubleQuoteType || at.Type == token.SingleQuoteType {
			base = 10
		}
		n, err := strconv.ParseInt(strings.ReplaceAll(s.text, "_", ""), base, 64)
		if err != nil || s.kind == "int" && (n > math.MaxInt32 || n < math.MinInt32) {
			return "must be a whole number that fits Java's " + s.kind
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
		for constant := range strings.SplitSeq(s.kind, "|") {
			if constant == s.text {
				return ""
			}
		}
		return "must be one of " + strings.ReplaceAll(s.kind, "|", ", ")
	}
	return ""
}

// isObject reports whether Java wants an object of some class.
func (s *setting) isObject() bool {
	switch s.kind {
	case "int", "long", "boolean", "text", "texts", "URL":
		return false
	}
	return !strings.Contains(s.kind, "|")
}

// readObject reads the class of an object, which is a tag in YAML and an entry in JSON.
func (s *setting) readObject(node ast.Node) string {
	if tag, ok := node.(*ast.TagNode); ok {
		s.class = strings.Trim(tag.Start.Value, "!<>")
		if node = tag.Value; node == nil {
			node = &ast.NullNode{}
		}
	}
	switch {
	case isMapping(node):
		for _, e := range config.Entries(node) {
			if text, ok := config.Scalar(e.Value); ok && keyOf(e) == "class" && s.class == "" {
				s.class = text
			}
		}
	case !isNull(node):
		return fmt.Sprintf("must be an object, such as !<org.redisson.%s> {}", s.kind)
	}
	s.node = node
	s.note.Value = codecs.Printable(s.class, maxShown)
	return ""
}

// secrets are never shown.
var secrets = map[string]bool{"password": true, "sentinelPassword": true, "sslKeystorePassword": true, "sslTruststorePassword": true}

// show is a value as it may be printed.
func (s *setting) show(text string) string {
	switch {
	case secrets[s.name]:
		return config.HideSecret(text)
	case strings.HasSuffix(strings.ToLower(s.name), "address"), strings.HasSuffix(s.name, "Addresses"):
		text = config.HideURL(text)
	case s.kind == "URL", strings.HasPrefix(s.name, "ssl"):
		text = hideStore(text)
	}
	return codecs.Printable(text, maxShown)
}
