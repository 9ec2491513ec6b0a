package connect

import "testing"

// Without a channel there is no session: Redis refuses the command, and each try would cost a connection.
func TestNothingToSubscribeTo(t *testing.T) {
	t.Parallel()
	events := make(chan Event, 1)
	s := Subscribe(nil, SubscribeOptions{}, events) // a client that is used panics
	if s.session(t.Context(), 0) || len(events) != 0 {
		t.Error("a session without a channel")
	}
}
