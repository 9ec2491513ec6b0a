package chaos

import (
	"fmt"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// poison puts bad bytes, bad elements, and messages that kill their process among the good ones.
func poison(s *stage) {
	s.poison = fault.NewPoison(s.tb, s.server.Client(), queueName, s.seed)
	client, err := framework.Open(s.ctx, framework.Config{Redis: s.redis, NoTransfer: true})
	must(s.tb, err)
	defer func() { _ = client.Close() }()
	queue := framework.Bind(client, s.role("", "").queue())
	for i := range s.some(3) {
		s.strike(s.poison.Fault, strike{}, 300*time.Millisecond)
		id := fmt.Sprintf("%s-%d", killer, i)
		must(s.tb, s.book.note(s.ctx, noteOffering, id, "0"))
		_, err := queue.Offer(s.ctx, id+" .", 0)
		must(s.tb, err)
		must(s.tb, s.book.note(s.ctx, noteAccepted, id, ""))
		s.sleep(time.Second)
	}
}

// inDeadStore wants each piece of poison and each killer there, once, and nothing else.
func inDeadStore(s *stage, _ *account) (problems []string) {
	want := map[string]string{}
	for _, bad := range s.poison.Injected {
		want[string(bad.Body)] = bad.Kind
	}
	killers := 0
	for _, body := range s.deadBodies() {
		switch {
		case strings.Contains(body, killer):
			killers++
		case want[body] == "":
			problems = append(problems, fmt.Sprintf("the dead store has %.60q", body))
		}
		delete(want, body)
	}
	for _, kind := range want {
		problems = append(problems, kind+" is not in the dead store")
	}
	if killers != s.some(3) {
		problems = append(problems, fmt.Sprintf("%d of %d killers are in the dead store", killers, s.some(3)))
	}
	return problems
}
