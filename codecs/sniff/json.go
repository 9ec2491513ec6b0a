package sniff

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/databind"
)

// jsonText knows JSON, and what names Java classes in it.
func jsonText(p []byte, found *[]Candidate) {
	p = bytes.TrimLeft(bytes.TrimPrefix(p, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(p) == 0 || len(p) > most || !json.Valid(p) {
		cut(p, found)
		return
	}
	if class, ok := wrapsInside(p); ok {
		why := "the object names no class and a value inside names " + class + ", as an ObjectMapper with activateDefaultTyping("
		add(found, "typedjsonjackson+typing=OBJECT_AND_NON_CONCRETE", Strong, why+"OBJECT_AND_NON_CONCRETE) writes it")
		add(found, "typedjsonjackson+typing=JAVA_LANG_OBJECT", Fair, why+"JAVA_LANG_OBJECT) writes it, where only what is declared as Object names its class")
		return
	}
	if class, ok := wrapsObject(p); ok {
		why := "a JSON array names the class " + class + " of an object, as an ObjectMapper with activateDefaultTyping(NON_FINAL) writes it"
		add(found, "typedjsonjackson+typing=NON_FINAL", Strong, why)
		add(found, "jsonjackson", Weak, why+"; this codec reads it and writes another form")
		return
	}
	switch p[0] {
	case '{':
		if bytes.Contains(p[:min(len(p), 4096)], []byte(`"@class"`)) {
			withClass(p, `a JSON object with "@class"`, found)
			return
		}
		plainJSON(found, "object")
	case '[':
		if id, ok := typeID(p); ok {
			withClass(p, "a JSON array that begins with the Java class "+id, found)
			return
		}
		plainJSON(found, "array")
	case '"':
		add(found, "jsonjackson", Fair, "a JSON string in quotes")
		add(found, "typedjsonjackson", Weak, "a JSON string in quotes")
		add(found, "ionjackson", Weak, "an Ion string in quotes")
	default:
		add(found, "jsonjackson", Weak, "a bare JSON number, boolean or null")
		add(found, "typedjsonjackson", Weak, "a bare JSON number, boolean or null")
	}
}

// wrapsObject returns the class of the first object that an array names, and that does not
// name its class itself. No codec of Redisson writes one.
func wrapsObject(p []byte) (class string, ok bool) {
	for at := 0; ; {
		i := bytes.Index(p[at:], []byte(`",{`))
		if i < 0 {
			return "", false
		}
		at += i
		begin := bytes.LastIndex(p[:at], []byte(`["`))
		if begin >= 0 && databind.TypeID(string(p[begin+2:at])) && !bytes.HasPrefix(p[at+3:], []byte(`"@class"`)) {
			return string(p[begin+2 : at]), true
		}
		at++
	}
}

// wrapsInside returns the class of the first list of the JDK, or object, that an array names inside
// an object that is without the name of its class.
func wrapsInside(p []byte) (class string, ok bool) {
	if p[0] != '{' || bytes.Contains(p[:min(len(p), 4096)], []byte(`"@class"`)) {
		return "", false
	}
	if i := bytes.Index(p, []byte(`:["java.util.`)); i >= 0 {
		if class, ok = typeID(p[i+1:]); ok {
			return class, true
		}
	}
	return wrapsObject(p)
}

// withClass adds the codecs that name Java classes in JSON. Dates are numbers in
// Jackson 2 and text in Jackson 3, unless the user's mapper says otherwise.
func withClass(p []byte, why string, found *[]Candidate) {
	if isoDate(p) {
		add(found, "jsonjackson3", Strong, why+" and a date as text, as Jackson 3 writes it")
		add(found, "jsonjackson", Strong, why+" and a date as text, as Jackson 2 writes it by option")
		return
	}
	add(found, "jsonjackson", Strong, why)
	add(found, "jsonjackson3", Fair, why+", with nothing that tells Jackson 2 and 3 apart")
}

func plainJSON(found *[]Candidate, what string) {
	add(found, "typedjsonjackson", Fair, "a JSON "+what+" without class names")
	add(found, "json", Fair, "a JSON "+what+" without class names, as Java's StringCodec carries what was made JSON before: jackson.JSON() in Go")
	add(found, "string", Fair, "a JSON "+what+" without class names may be a text that holds JSON")
	add(found, "typedjsonjackson3", Fair, "a JSON "+what+" without class names")
	add(found, "jsonjackson", Weak, "a JSON "+what+" without class names: Java writes it for final classes, and cannot read it back")
}

// cut knows the beginnings of JSON that is not complete, or too long to check.
func cut(p []byte, found *[]Candidate) {
	head := string(p[:min(len(p), 200)])
	if strings.HasPrefix(head, `{"@class":"`) || strings.HasPrefix(head, `["java.`) {
		add(found, "jsonjackson", Fair, "begins like JSON with a Java class, but is not valid JSON to its end")
	}
}

// typeID returns the class name at the head of a two-element array.
func typeID(p []byte) (string, bool) {
	rest, ok := bytes.CutPrefix(p, []byte(`["`))
	if !ok {
		return "", false
	}
	end := bytes.IndexByte(rest[:min(len(rest), 512)], '"')
	if end < 2 || len(rest) <= end+1 || rest[end+1] != ',' {
		return "", false
	}
	id := string(rest[:end])
	return id, databind.TypeID(id)
}

// isoDate reports whether p holds a date, a time or a duration as text, and not merely
// a constant such as java.time.DayOfWeek's MONDAY.
func isoDate(p []byte) bool {
	for _, head := range []string{`["java.util.Date","`, `["java.time.`} {
		for rest := p; ; {
			_, after, ok := bytes.Cut(rest, []byte(head))
			if !ok {
				break
			}
			if rest = after; head[len(head)-1] != '"' {
				_, after, _ = bytes.Cut(after[:min(len(after), 64)], []byte(`","`))
			}
			if len(after) > 0 && (after[0] >= '0' && after[0] <= '9' || bytes.IndexByte([]byte("+-P"), after[0]) >= 0) {
				return true
			}
		}
	}
	return false
}

// ionText knows Ion's annotations: 'java.util.Date'::5.
func ionText(p []byte, found *[]Candidate) {
	if p[0] != '\'' {
		return
	}
	end := bytes.Index(p[:min(len(p), 512)], []byte("'::"))
	if end > 1 && databind.TypeID(string(p[1:end])) {
		add(found, "ionjackson", Strong, "begins with the Ion annotation '"+string(p[1:end])+"'")
	}
}

// text knows what the plain codecs write.
func text(p []byte, found *[]Candidate) {
	head := p[:min(len(p), most)]
	if !readable(head) {
		add(found, "bytearray", Weak, "any bytes may be a byte array")
		return
	}
	digits := bytes.TrimPrefix(head, []byte("-"))
	if len(digits) > 0 && len(digits) < 20 && len(bytes.Trim(digits, "0123456789")) == 0 {
		add(found, "long", Fair, "decimal digits")
		add(found, "integer", Weak, "decimal digits")
	}
	c := Fair
	if len(head) < 4 {
		c = Weak
	}
	add(found, "string", c, "readable UTF-8 text")
}

// readable reports whether p is UTF-8 without control characters other than
// blanks and line ends. A rune cut by the bound of what is looked at is fine.
func readable(p []byte) bool {
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n <= 1 {
			return len(p) == most && len(p)-i < utf8.UTFMax
		}
		if unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' {
			return false
		}
		i += n
	}
	return true
}
