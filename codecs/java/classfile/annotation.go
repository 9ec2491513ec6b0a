package classfile

import "strings"

// annotations returns the class names of the annotations in an attribute.
func annotations(c *cursor, p *pool) []string {
	var names []string
	for range c.u2() {
		name := annotation(c, p, 0)
		if c.err != nil {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// maxAnnotationDepth bounds annotations inside annotations.
const maxAnnotationDepth = 64

func annotation(c *cursor, p *pool, depth int) string {
	name := p.text(c, c.u2())
	for range c.u2() {
		c.u2() // name of the element
		skipElement(c, p, depth+1)
		if c.err != nil {
			return ""
		}
	}
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(name, "L"), ";"), "/", ".")
}

func skipElement(c *cursor, p *pool, depth int) {
	at := c.offset()
	if depth > maxAnnotationDepth {
		c.fail(at, "annotations are nested more than %d deep", maxAnnotationDepth)
		return
	}
	switch tag := c.u1(); tag {
	case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z', 's', 'c':
		c.u2()
	case 'e':
		c.u4()
	case '@':
		annotation(c, p, depth+1)
	case '[':
		for range c.u2() {
			if c.err != nil {
				return
			}
			skipElement(c, p, depth+1)
		}
	default:
		c.fail(at, "an annotation's element has the unknown tag %d", tag)
	}
}
