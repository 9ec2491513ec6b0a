package inspect

import (
	"errors"
	"testing"

	"github.com/duequeue/duequeue/framework"
)

func TestLayoutsTellWhoWrites(t *testing.T) {
	t.Parallel()
	const universal, since, upTo, other = "1a214c5a758-3dc51cde4dbf02", "1a214c5a758-j3dc51cde4dbf0200", "1a214c5a758-d3dc51cde4dbf0200", ""
	for _, of := range []struct {
		ids  []framework.ID
		want string
	}{
		{nil, "nothing is pending, so nothing tells which Redisson writes"},
		{[]framework.ID{upTo, universal}, "Redisson up to 3.21.0 (of 2: 1 elements up to 3.21.0, 1 of Go, which all read)"},
		{[]framework.ID{since, since}, "Redisson since 3.21.1 (of 2: 2 since 3.21.1)"},
		{[]framework.ID{other}, "Redisson since 3.21.1 (of 1: 1 since 3.21.1 with an id of another length)"},
		{[]framework.ID{since, upTo}, "both Redisson up to 3.21.0 and since 3.21.1 (of 2: 1 elements up to 3.21.0, 1 since 3.21.1)"},
		{[]framework.ID{"3." + universal}, "Go, or a migration (of 1: 1 of Go, which all read)"},
	} {
		var l layouts
		for _, id := range of.ids {
			l.add(framework.PendingMessage[[]byte]{ID: id, Body: []byte("x")})
		}
		if got := l.writers() + l.detail(); got != of.want {
			t.Errorf("%q: %s, not %s", of.ids, got, of.want)
		}
	}
	var l layouts
	l.add(framework.PendingMessage[[]byte]{Err: errors.New("malformed")})
	if got := l.writers() + l.detail(); got != "no Redisson (of 1: 1 that none reads)" {
		t.Error(got)
	}
}
