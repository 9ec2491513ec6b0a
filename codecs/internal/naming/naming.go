// Package naming has Jackson's naming strategies: the names of properties in JSON, made of
// those of fields.
package naming

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Strategies are the strategies by the name of their constant in PropertyNamingStrategies.
var Strategies = map[string]func(name string) string{
	"SNAKE_CASE":       snake,
	"UPPER_SNAKE_CASE": func(name string) string { return strings.ToUpper(snake(name)) },
	"UPPER_CAMEL_CASE": upperCamel,
	"LOWER_CASE":       strings.ToLower,
	"KEBAB_CASE":       func(name string) string { return separated(name, '-') },
	"LOWER_DOT_CASE":   func(name string) string { return separated(name, '.') },
}

// Classes are the names of the strategies' classes, without what stands before the last dot or
// dollar, and the constant of each.
var Classes = map[string]string{
	"SnakeCaseStrategy": "SNAKE_CASE", "LowerCaseWithUnderscoresStrategy": "SNAKE_CASE",
	"UpperSnakeCaseStrategy": "UPPER_SNAKE_CASE",
	"UpperCamelCaseStrategy": "UPPER_CAMEL_CASE", "PascalCaseStrategy": "UPPER_CAMEL_CASE",
	"LowerCaseStrategy": "LOWER_CASE", "KebabCaseStrategy": "KEBAB_CASE", "LowerDotCaseStrategy": "LOWER_DOT_CASE",
}

func upperCamel(name string) string {
	first, n := utf8.DecodeRuneInString(name)
	if n == 0 {
		return name
	}
	return string(unicode.ToUpper(first)) + name[n:]
}

// snake takes capitals that follow each other for one word.
func snake(name string) string {
	var b strings.Builder
	capital := false
	for i, r := range name {
		if i == 0 && r == '_' {
			continue
		}
		upper := unicode.IsUpper(r)
		if upper && !capital && b.Len() > 0 && !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
		capital = upper
		b.WriteRune(unicode.ToLower(r))
	}
	if b.Len() == 0 {
		return name
	}
	return b.String()
}

// separated takes the last of several capitals for the beginning of the next word.
func separated(name string, between rune) string {
	var out []rune
	capitals := 0
	for i, r := range []rune(name) {
		lower := unicode.ToLower(r)
		switch {
		case lower != r && capitals == 0 && i > 0:
			out = append(out, between)
		case lower == r && capitals > 1:
			last := out[len(out)-1]
			out = append(out[:len(out)-1], between, last)
		}
		if capitals++; lower == r {
			capitals = 0
		}
		out = append(out, lower)
	}
	return string(out)
}
