package lease

import (
	"cmp"
	"context"
	"slices"
	"strconv"
)

// Released is a message to give back.
type Released struct {
	Token
	Started bool // its handler had begun: this hand-out is counted
}

// ReleaseResult says what went back to the queue.
type ReleaseResult struct {
	Given  int // messages of the tokens
	Gone   int // tokens that are not ours any more
	Staged int // messages that had landed in staging
	// Cancelled are messages that were cancelled while they were in flight: they are gone.
	Cancelled int
}

// Release gives messages back to the head of the queue, oldest first, with their due
// and trace entries and without counting a failure, and what lies in staging with
// them. Release all at once: of two calls, the later one's messages come to stand
// before the earlier one's. Safe to repeat after an error.
func (s *Session) Release(ctx context.Context, messages []Released) (ReleaseResult, error) {
	lists, gone := s.byFetch(messages)
	result := ReleaseResult{Gone: gone}
	for stage := true; ; {
		keys, args := s.releaseKeys(), []any{"", giveBackStep}
		if stage {
			args[0] = s.emptySince()
		}
		for _, l := range lists {
			keys = append(keys, l.f.key)
			args = append(args, l.argument())
		}
		r, left, more, err := s.release(ctx, keys, args)
		if err != nil {
			return ReleaseResult{}, err
		}
		result.Given, result.Gone, result.Staged = result.Given+r.Given, result.Gone+r.Gone, result.Staged+r.Staged
		result.Cancelled += r.Cancelled
		lists = s.released(lists, left)
		if stage = more; left == 0 && !more {
			return result, nil
		}
	}
}

// release calls the script once. left is how many indexes it has left, from the front, more
// whether it has left some of the stage.
func (s *Session) release(ctx context.Context, keys []string, args []any) (r ReleaseResult, left int, more bool, err error) {
	reply, err := s.run(ctx, releaseScript, keys, args...)
	if err != nil {
		return r, 0, false, err
	}
	words, err := texts(releaseScript, reply, 6)
	if err != nil {
		return r, 0, false, err
	}
	return ReleaseResult{Given: atoi(words[0]), Gone: atoi(words[1]), Staged: atoi(words[2]), Cancelled: atoi(words[4])}, atoi(words[3]), words[5] == "1", nil
}

// released settles all messages but the first ones, and returns the lists of those.
func (s *Session) released(lists []releaseList, left int) (rest []releaseList) {
	for _, l := range lists {
		keep := min(left, len(l.messages))
		for _, m := range l.messages[keep:] {
			s.ledger.settleTokens(m.Token)
		}
		if left -= keep; keep > 0 {
			rest = append(rest, releaseList{f: l.f, messages: l.messages[:keep]})
		}
	}
	return rest
}

// releaseList is what goes back of one fetch.
type releaseList struct {
	f        *fetch
	messages []Released
}

// byFetch sorts messages by fetch and index, oldest first.
func (s *Session) byFetch(messages []Released) (lists []releaseList, gone int) {
	for _, m := range messages {
		f := s.ledger.find(m.Token)
		if f == nil {
			gone++
			continue
		}
		i := slices.IndexFunc(lists, func(l releaseList) bool { return l.f == f })
		if i < 0 {
			i = len(lists)
			lists = append(lists, releaseList{f: f})
		}
		lists[i].messages = append(lists[i].messages, m)
	}
	slices.SortFunc(lists, func(a, b releaseList) int { return cmp.Compare(a.f.number, b.f.number) })
	for i := range lists {
		slices.SortFunc(lists[i].messages, func(a, b Released) int { return cmp.Compare(a.Index, b.Index) })
	}
	return lists, gone
}

func (l releaseList) argument() string {
	var b []byte
	for i, m := range l.messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(m.Index), 10)
		if m.Started {
			b = append(b, 's')
		}
	}
	return string(b)
}
