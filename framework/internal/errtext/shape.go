package errtext

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What stands in a shape for what differs between two errors of one cause.
const (
	shapeNumber  = "N"
	shapeID      = "ID"
	shapeAddress = "ADDRESS"
	shapeQuoted  = "TEXT"
)

// maxShape bounds the text that counts, in bytes, maxQuoted what may stand within quotes.
const (
	maxShape  = 512
	maxQuoted = 200
)

// Shape returns what errors of one cause have in common: of the beginning of their text all
// numbers, times, ids, quoted texts and addresses are replaced by words that stand for them.
func Shape(text string) string {
	cut := len(text) > maxShape
	if cut {
		end := maxShape
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	var b strings.Builder
	blank := false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r) || !unicode.IsPrint(r):
			blank = b.Len() > 0
			i += size
			continue
		case blank:
			b.WriteByte(' ')
			blank = false
		}
		if end := quoted(text, i, r); end > 0 {
			b.WriteString(shapeQuoted)
			i = end
			continue
		}
		if !inWord(r) {
			b.WriteRune(r)
			i += size
			continue
		}
		end := i
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !inWord(r) {
				break
			}
			end += size
		}
		word := strings.TrimRight(text[i:end], ".:-+/")
		if word == "" {
			word = text[i:end]
		}
		b.WriteString(shapeOf(word))
		i += len(word)
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}

// quoted returns where a quoted text ends that begins at i, 0 where none does.
func quoted(text string, i int, quote rune) int {
	switch quote {
	case '"', '`':
	case '\'':
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); i > 0 && unicode.IsLetter(before) {
			return 0 // as in don't
		}
	default:
		return 0
	}
	rest := text[i+1:]
	for at := 0; at < len(rest) && at <= maxQuoted; at++ {
		switch rest[at] {
		case '\\':
			at++
		case byte(quote):
			return i + 1 + at + 1
		}
	}
	return 0
}

// inWord reports whether a rune belongs to what is looked at as a whole: a number, an id, an
// address.
func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.:/@%+-?&#~=", r)
}

// codecNames are the names of codecs that hold a number: it is none that differs.
var codecNames = map[string]bool{
	"kryo5": true, "jsonjackson3": true, "typedjsonjackson3": true, "avrojackson3": true, "cborjackson3": true,
	"smilejackson3": true, "ionjackson3": true, "lz4": true, "lz4v2": true, "snappyv2": true,
}

// shapeOf returns what stands for a word.
func shapeOf(word string) string {
	digits := strings.ContainsFunc(word, unicode.IsDigit)
	switch {
	case strings.Contains(word, "://"), mail(word):
		return shapeAddress
	case codecNames[word]:
		return word
	case !digits:
		return word
	case address(word):
		return shapeAddress
	case id(word):
		return shapeID
	case unicode.IsDigit(rune(word[0])) || strings.ContainsRune("+-", rune(word[0])):
		if strings.IndexFunc(word, unicode.IsLetter) < 0 || measure(word) {
			return shapeNumber
		}
	}
	return numbers(word)
}

func mail(word string) bool {
	name, host, ok := strings.Cut(word, "@")
	return ok && name != "" && strings.Contains(host, ".")
}

// address reports whether a word is an IP or a host, with or without a port.
func address(word string) bool {
	if _, err := netip.ParseAddr(word); err == nil {
		return true
	}
	if _, err := netip.ParseAddrPort(word); err == nil {
		return true
	}
	at := strings.LastIndexByte(word, ':')
	if at <= 0 || at == len(word)-1 || len(word)-at > 6 || strings.ContainsFunc(word[at+1:], func(r rune) bool { return r < '0' || r > '9' }) {
		return false
	}
	host := word[:at]
	return strings.IndexFunc(host, unicode.IsLetter) >= 0 && strings.Contains(host, ".") && !strings.ContainsAny(host, ":/@%?&#~+") &&
		!strings.HasSuffix(host, ".go") && !strings.HasSuffix(host, ".java") // lines of source
}

// id reports whether a word is one: hexadecimal digits, or letters and digits mixed.
func id(word string) bool {
	hex, letters, digits := true, 0, 0
	for _, r := range word {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F':
			letters++
		case r == '-' || r == '_':
		case r == 'x' || r == 'X':
			hex = hex && strings.HasPrefix(word, "0x")
		default:
			hex = false
			if !unicode.IsLetter(r) {
				return false
			}
			letters++
		}
	}
	if hex && letters > 0 {
		return digits+letters >= 8 || strings.HasPrefix(word, "0x")
	}
	return digits >= 3 && letters >= 3 && digits+letters >= 16
}

// measure reports whether a word that begins with a digit is a number with a unit, a duration
// or a time, such as 30s, 1.5MiB, 2026-01-31T08:00:00Z.
func measure(word string) bool {
	run := 0
	for _, r := range word {
		if !unicode.IsLetter(r) {
			run = 0
		} else if run++; run > 3 {
			return false
		}
	}
	return true
}

// numbers replaces the digits within a word.
func numbers(word string) string {
	var b strings.Builder
	inside := false
	for _, r := range word {
		digit := unicode.IsDigit(r)
		switch {
		case digit && !inside:
			b.WriteString(shapeNumber)
		case !digit:
			b.WriteRune(r)
		}
		inside = digit
	}
	return b.String()
}
