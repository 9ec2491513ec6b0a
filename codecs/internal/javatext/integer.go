package javatext

import (
	"errors"
	"strconv"
)

// ErrRange is returned for a number that the Java type cannot hold.
var ErrRange = errors.New("out of range")

// ParseInt reads text as Java's Long.valueOf (bits 64) and Integer.valueOf
// (bits 32) do: an optional sign and at least one digit, nothing else. Only
// ASCII digits are read, although Java's own parser knows those of other
// scripts; Java never prints them. Errors are [ErrSyntax] and [ErrRange].
func ParseInt(text string, bits int) (int64, error) {
	if text == "" {
		return 0, ErrSyntax
	}
	digits := text
	if digits[0] == '+' || digits[0] == '-' {
		digits = digits[1:]
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, ErrSyntax
		}
	}
	n, err := strconv.ParseInt(text, 10, bits)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, ErrRange
	}
	return 0, ErrSyntax
}
