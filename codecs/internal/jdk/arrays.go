package jdk

import "strings"

// Primitives maps the names of primitives to their letters in the names of arrays.
var Primitives = map[string]string{
	"boolean": "Z", "byte": "B", "char": "C", "short": "S", "int": "I", "long": "J", "float": "F", "double": "D",
}

// ArrayName returns the name of an array of class with dims dimensions, as
// Class.getName gives it: "[I", "[[Ljava.lang.String;".
func ArrayName(class string, dims int) string {
	switch letter := Primitives[class]; {
	case dims == 0:
		return class
	case letter != "":
		return strings.Repeat("[", dims) + letter
	case strings.HasPrefix(class, "["):
		return strings.Repeat("[", dims) + class
	}
	return strings.Repeat("[", dims) + "L" + class + ";"
}

// MaxDimensions is how many dimensions a Java array can have.
const MaxDimensions = 255

// Innermost returns what the arrays of a class hold in the end, and their dimensions: "int" and
// 2 for "[[I". It returns no dimensions for what is the name of no array.
func Innermost(class string) (element string, dims int) {
	element = strings.TrimLeft(class, "[")
	if dims = len(class) - len(element); dims > MaxDimensions {
		return "", 0
	}
	if name, ok := strings.CutPrefix(element, "L"); ok {
		if name, ok = strings.CutSuffix(name, ";"); !ok || name == "" || name[0] == '[' {
			return "", 0
		}
		return name, dims
	}
	for name, letter := range Primitives {
		if letter == element {
			return name, dims
		}
	}
	return "", 0
}

// Component returns the class of the elements of an array class, and false for
// what is the name of none: "int" for "[I", "[I" for "[[I".
func Component(class string) (string, bool) {
	element, dims := Innermost(class)
	if dims > 1 {
		return class[1:], true
	}
	return element, dims == 1
}
