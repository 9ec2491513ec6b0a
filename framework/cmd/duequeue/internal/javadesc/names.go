package javadesc

import (
	"strings"
	"unicode"

	"github.com/duequeue/duequeue/codecs/java"
)

// initialisms are words that Go spells in capitals.
var initialisms = map[string]bool{
	"id": true, "uid": true, "uuid": true, "url": true, "uri": true, "api": true, "ip": true, "http": true, "https": true,
	"json": true, "xml": true, "html": true, "sql": true, "ttl": true, "sku": true, "vat": true, "iban": true,
}

// exported returns the Go name of a Java field: orderId gives OrderID.
func exported(name string) string {
	var b strings.Builder
	for _, word := range words(name) {
		if initialisms[strings.ToLower(word)] {
			b.WriteString(strings.ToUpper(word))
			continue
		}
		r := []rune(word)
		b.WriteString(string(unicode.ToUpper(r[0])) + string(r[1:]))
	}
	out := b.String()
	if out == "" || !unicode.IsUpper([]rune(out)[0]) {
		return "X" + out // scripts without capitals, digits
	}
	return out
}

// ConstantName returns the part of an enum constant's Go name behind that of its
// type: PAID_LATE gives PaidLate.
func ConstantName(name string) string {
	if name != strings.ToUpper(name) {
		return exported(name)
	}
	return exported(strings.ToLower(name))
}

// words cuts a name at underscores, dollars and the capitals of camel case.
func words(name string) []string {
	var list []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			list = append(list, string(word))
		}
		word = nil
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r), r == '_':
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return list
}

// TypeName returns the name of a class without its package, with enclosing classes:
// demo.Order$Item gives OrderItem.
func TypeName(class string) string {
	return exported(class[strings.LastIndexByte(class, '.')+1:])
}

// TypeNames returns the Go names that [Generate] gives to classes, where it is asked for these in
// this order and none of what they refer to has the name of one.
func TypeNames(classes ...string) map[string]string {
	all := make([]*java.Class, len(classes))
	for i, name := range classes {
		all[i] = &java.Class{Name: name}
	}
	return typeNames(all, map[string]bool{})
}

// typeNames gives each class a Go name. Where two would have the same, later ones
// get the end of their package in front.
func typeNames(classes []*java.Class, taken map[string]bool) map[string]string {
	names := map[string]string{}
	for _, c := range classes {
		name := TypeName(c.Name)
		pkg := strings.Split(c.Name, ".")
		for i := len(pkg) - 2; taken[name] && i >= 0; i-- {
			name = exported(pkg[i]) + name
		}
		names[c.Name] = unique(name, taken)
	}
	return names
}

// unique returns name, or name with a number behind it, and takes it.
func unique(name string, taken map[string]bool) string {
	out := name
	for n := 2; taken[out]; n++ {
		out = name + "_" + string(rune('0'+n%10))
		if n > 9 {
			name += "_"
		}
	}
	taken[out] = true
	return out
}
