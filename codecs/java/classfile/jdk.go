package classfile

import (
	_ "embed" // the table
	"strings"
	"sync"
)

// jdkTable has a line for each type: its name, its superclass ("." for Object,
// "-" for none) and the interfaces that it names itself.
//
//go:embed jdk.txt
var jdkTable string

type supertypes struct {
	super      string // empty for java.lang.Object and interfaces
	interfaces []string
}

var jdk = sync.OnceValue(func() map[string]supertypes {
	table := map[string]supertypes{}
	for line := range strings.Lines(jdkTable) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		t := supertypes{super: words[1], interfaces: words[2:]}
		switch t.super {
		case ".":
			t.super = objectClass
		case "-":
			t.super = ""
		}
		table[words[0]] = t
	}
	return table
})

// OfJDK reports whether a class belongs to the Java platform by its name: one in
// a package that no application may have.
func OfJDK(name string) bool {
	for _, prefix := range []string{
		"java.", "jdk.", "sun.", "javax.crypto.", "javax.management.", "javax.naming.", "javax.net.", "javax.security.",
		"javax.sql.", "javax.swing.", "javax.tools.", "javax.xml.", "org.w3c.dom.", "org.xml.sax.",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Subtype reports whether a public type of the JDK extends or implements another,
// or is it.
func Subtype(name, ancestor string) bool {
	seen := map[string]bool{"": true}
	queue := []string{name}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == ancestor && at != "" {
			return true
		}
		if !seen[at] {
			seen[at] = true
			t := jdk()[at]
			queue = append(append(queue, t.super), t.interfaces...)
		}
	}
	return false
}
