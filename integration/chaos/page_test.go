package chaos

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// page is what make chaos writes. Safe for concurrent use.
type page struct {
	began time.Time
	load  string // average of a minute, before

	mu      sync.Mutex
	results map[string]*result // by row and consumer
}

func (p *page) add(r *result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.results[r.row.name+"/"+r.who] = r
}

func (p *page) markdown(rows []row) string {
	form := "short form: two to four faults of a kind"
	if lab.LongForm() {
		form = "long form"
	}
	var w strings.Builder
	fmt.Fprintf(&w, "# Faults, and what came of the messages\n\nWritten by `make chaos` on %s; %s, seed %d, %.0f s; %s, load average %s before and %s after. Do not edit: run it again.\n\n",
		p.began.UTC().Format("2006-01-02 15:04 MST"), form, *seed, time.Since(p.began).Seconds(), lab.Machine(), p.load, lab.LoadAverage())
	w.WriteString("Each cell: messages accepted · **lost** · **begun early** · handled again · back after, at most. Empty: not run.\n\n")
	fmt.Fprintf(&w, "| fault | duequeue | Redisson %s, `take()` | asynq v0.26 | BLPOP |\n|---|---|---|---|---|\n", javaVersions[0])
	for _, r := range rows {
		fmt.Fprintf(&w, "| %s", r.title)
		for _, who := range append([]string{us}, peers...) {
			fmt.Fprintf(&w, " | %s", p.cell(r, who))
		}
		w.WriteString(" |\n")
	}
	w.WriteString(legend)
	return w.String()
}

func (p *page) cell(r row, who string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.results[r.name+"/"+who]
	switch {
	case got == nil:
		return ""
	case got.account == nil:
		return "**FAILED**"
	case got.failed:
		return "**FAILED** " + got.account.String()
	}
	return got.account.String()
}

const legend = `
- Real processes and servers. Producers write into a ledger in a Redis that no fault touches before and after each offer, handlers when they start and when they are done. All times are that Redis's.
- duequeue must lose nothing that was accepted (but where a failover takes what the replica had not got), begin nothing early, repeat only what a fault had reached, and come back within 1.2 leases of 3 s and the longest wait without a fault. The default lease is 30 s.
- **Back after** counts from the due time, or from the last fault that hit the message, until a handler begins. Not counted: failures, which wait for their retry, and messages that two processes died with, which run alone.
- Java's clocks: what Java offers or transfers by a wrong clock is early or late by it.
- Redisson's take() and BLPOP pop, then work: what they lose stays lost. duequeue produces and transfers for them. asynq has its own producers, leases of 30 s that it looks for once a minute, and due times of whole seconds.
- A killed server keeps what it wrote before it replied; a machine that loses power may lose more.
`
