// Package stamp writes times for programs.
package stamp

import "time"

// Of is a time in RFC 3339, in UTC to the millisecond; "" where it is unknown.
func Of(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
