package javatext

import "cmp"

// Compare is String.compareTo. UTF-8 order differs from it only where one
// string has a code point above U+FFFF and the other one from U+E000 on.
func Compare(a, b string) int {
	for a != "" && b != "" {
		r, n := DecodeRune(a)
		s, m := DecodeRune(b)
		if r != s {
			return cmp.Compare(utf16Rank(r), utf16Rank(s))
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

// utf16Rank orders code points as their UTF-16 units order: those above U+FFFF
// begin with a surrogate, below U+E000.
func utf16Rank(r rune) int64 {
	if r > 0xffff {
		r -= 0x10000
		return int64(0xd800+r>>10)<<16 | int64(0xdc00+r&0x3ff)
	}
	return int64(r) << 16
}
