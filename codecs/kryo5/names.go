package kryo5

import (
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// sortNames sorts class names as Java's strings do.
func sortNames(names []string) { slices.SortFunc(names, layout.CompareNames) }

func lambdaName(name string) bool {
	return strings.Contains(name, "$$Lambda") || strings.Contains(name, "$Proxy")
}

// javaName reports whether the JDK has the class, by its name.
func javaName(name string) bool {
	for _, prefix := range [...]string{"java.", "javax.", "sun.", "jdk.", "com.sun."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasPrefix(name, "[") && len(name) == 2
}

// throwableName reports whether a class of the JDK is a Throwable, by its name.
func throwableName(name string) bool {
	return javaName(name) && (strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Error") || name == throwable)
}

// appendClassName writes a class name, which is bare ASCII at any length of two
// and more.
func appendClassName(dst []byte, s string) []byte {
	if len(s) < 2 || !isASCII([]byte(s)) {
		out, _ := appendString(dst, s)
		return out
	}
	dst = append(dst, s...)
	dst[len(dst)-1] |= 0x80
	return dst
}
