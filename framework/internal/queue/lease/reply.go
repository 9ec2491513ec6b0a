package lease

import (
	"strconv"

	"github.com/duequeue/duequeue/framework/internal/script"
)

// texts reads a reply that is an array of n strings or numbers, of one at least where n is 0.
func texts(sc *script.Script, reply any, n int) ([]string, error) {
	parts, _ := reply.([]any)
	if len(parts) == 0 || n > 0 && len(parts) != n {
		return nil, replyError(sc, "%v", reply)
	}
	words := make([]string, len(parts))
	for i, p := range parts {
		switch v := p.(type) {
		case string:
			words[i] = v
		case int64:
			words[i] = strconv.FormatInt(v, 10)
		default:
			return nil, replyError(sc, "element %d is a %T", i, p)
		}
	}
	return words, nil
}

func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
