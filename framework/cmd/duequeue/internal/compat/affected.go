package compat

import (
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

// affected returns the classes of the old program whose messages a change can concern: those that are
// another class in the new program or gone, and those that refer to them. What is left stays the same.
func affected(old, now *program) map[string]bool {
	users := map[string][]string{} // which classes refer to a class
	var queue []string
	for _, name := range old.source.Names() {
		c, err := old.load(name)
		if err != nil {
			continue
		}
		for _, f := range c.Fields {
			for _, used := range mentioned(f.Type) {
				users[used] = append(users[used], name)
			}
		}
		for _, used := range mentioned(c.Super) {
			users[used] = append(users[used], name)
			users[name] = append(users[name], used) // what holds the superclass may hold this one
		}
		users[name] = append(users[name], c.Interfaces...)
		if n, err := now.load(name); err != nil || shape(c) != shape(n) {
			queue = append(queue, name)
		}
	}
	found := map[string]bool{}
	for len(queue) > 0 {
		name := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if !found[name] {
			found[name] = true
			queue = append(queue, users[name]...)
		}
	}
	return found
}

// shape is all of a class that a verdict may depend on.
func shape(c *class) string {
	var b strings.Builder
	fmt.Fprint(&b, c.String(), c.abstract(), c.file.Inner, makes(c).verdict)
	for _, f := range c.Fields {
		fmt.Fprint(&b, " ", f.Name, f.Type)
		if m := c.file.Field(f.Name); m != nil {
			fmt.Fprint(&b, m.Annotations)
		}
	}
	return b.String()
}

// mentioned returns the classes that a type names.
func mentioned(t java.TypeExpr) []string {
	if t.Class == "" || t.Primitive() {
		return nil
	}
	names := []string{t.Class}
	for _, a := range t.Args {
		names = append(names, mentioned(a)...)
	}
	return names
}
