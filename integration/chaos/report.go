package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
	"github.com/duequeue/duequeue/framework/integration/host"
)

// report is everything that RESULTS.md tells.
type report struct {
	command         string
	seed            uint64
	short           bool
	began           time.Time
	took            time.Duration
	machine         string
	load, loadAfter string // averages of a minute
	results         []result
}

// describe adds what it ran on.
func (r *report) describe(ctx context.Context, srv *fault.Server) error {
	info, err := srv.Client().InfoMap(ctx, "server").Result()
	if err != nil {
		return err
	}
	r.took, r.loadAfter = time.Since(r.began), host.LoadAverage()
	r.machine = fmt.Sprintf("%s; Redis %s on the same machine; Redisson %s",
		host.Line(), info["Server"]["redis_version"], strings.Join(javaVersions, " and "))
	return nil
}

// verdict is one word for the table.
func (r *result) verdict() string {
	switch {
	case len(r.problems) > 0:
		return "**FAILED**"
	case r.row.measured != "":
		return "measured"
	default:
		return "passed"
	}
}

// err tells which rows failed.
func (r *report) err() error {
	var errs []error
	for _, one := range r.results {
		if len(one.problems) > 0 {
			errs = append(errs, fmt.Errorf("%s: %s", one.row.name, strings.Join(one.problems, "; ")))
		}
	}
	return errors.Join(errs...)
}

func (r *report) markdown() string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Faults, and what came of the messages\n\nWritten by `%s` on %s; %.0f s, seed %d%s. Do not edit: run it again.\n\nMachine: %s. Load average %s before and %s after: other work on the machine makes recoveries longer.\n\n",
		r.command, r.began.UTC().Format("2006-01-02 15:04 MST"), r.took.Seconds(), r.seed, shortText(r.short), r.machine, r.load, r.loadAfter)
	w.WriteString(explanation)
	for _, group := range []string{groupOurs, groupBatches, groupJava, groupStorm, groupPeers} {
		r.table(&w, group)
	}
	r.notes(&w)
	return w.String()
}

func shortText(short bool) string {
	if short {
		return ", short form"
	}
	return ""
}

const explanation = `Real processes and real Redis servers. A ledger in a Redis that no fault touches knows every message: producers write before and after each offer, handlers when they start and when they are done, so that an outcome nobody learnt is an outcome accounted for.
Two messages in ten are equal to all such, one in ten to a few others; of the distinct ones one in fifty has 3 kB, one in 300 up to 300 kB. Producers and consumers have a tracer that samples half. The ledger knows an equal message by the ID that its offer was told and that its handler sees; an equal one whose ID no offer was told must be one of those whose outcome is unknown. Where IDs are not kept the numbers of each payload are held against each other: no fewer handled than accepted. The rows of other consumers have distinct payloads alone.
When the faults are over, producers end, and everything that was accepted must be handled.

- **unknown**: the producer was killed, or the offer told "outcome unknown"; such a message may be handled or not. In brackets: were handled.
- **again**: how often messages were handled beyond the first time, of how often faults reached messages. A fault reaches what the processes that it hits have in hand by the ledger while it holds, and what they had handled so shortly before (0.2 s; while Redis does not answer, 5 s) that the ack may not have been sent; one of the server hits all processes, and where it falls back to an earlier state it reaches all since that. Each repetition must be of a message that as many faults had reached before.
- **lost**: accepted, never handled, and nowhere in Redis. **left**: not handled in time. **dead**: in the dead store. What FLUSHALL or a power loss may take is not among the lost; the row says how many those are. All three must be 0, but for messages that were running when their process was killed, after two others had died with them: those are taken for killers (reason crash-loop).
- **recovery**: the longest time from when a message was due, or from the last fault that hit it (a process fault hits what that process had begun, a fault of the server hits everything until it is healed), until it was handled, of what is allowed: 1.2 × lease. In brackets the median of the messages hit. One message in forty fails once: that counts as two recoveries, the second one less its backoff. A message with which two processes died is a suspect: it runs alone and waits for its turn, for which it has another 10 s.
- **lease**: the default is 30 s; here it is 3 s so that the whole takes minutes, and read timeouts are 1.5 s.
- **gap**: the longest time in which nothing at all was handled. **early**: started before it was due by Redis's clock.

`

func (r *report) table(w *strings.Builder, group string) {
	var rows []result
	for _, one := range r.results {
		if one.row.group == group {
			rows = append(rows, one)
		}
	}
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "## %s\n\n| fault | strikes | offered | accepted | refused | unknown | handled | again | lost | left | dead | early | lease | recovery | gap | |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n", group)
	for _, one := range rows {
		a := one.account
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d (%d) | %d | %d of %d | %d | %d | %d | %d | %s | %s of %s (%s) | %s | %s |\n",
			one.row.title, one.strikeCount(), a.offered, a.accepted, a.refused, a.unknown, a.unknownLanded, a.handled, a.duplicated, a.bound,
			len(a.lost), len(a.left), len(a.dead), len(a.early), seconds(one.row.lease), seconds(a.recovery), seconds(one.row.limit), seconds(a.typical), seconds(a.gap), one.verdict())
	}
	w.WriteString("\n")
	for _, one := range rows {
		fmt.Fprintf(w, "- %s: %s", one.row.title, one.strikeText())
		if one.row.blurred != "" {
			fmt.Fprintf(w, "; the longest that a message waited which was hit unseen, or which nobody had begun: %s", seconds(one.account.waited))
		}
		if a := one.account; a.together > 0 {
			fmt.Fprintf(w, "; %d times a message began in a batch of several, of up to %d; %d of those messages were in one when a fault hit its holder", a.together, a.largest, a.struck)
		}
		if n := len(one.account.excused); n > 0 {
			fmt.Fprintf(w, "; %d are gone that may be", n)
		}
		for _, text := range []string{one.told, one.row.measured, one.row.blurred, one.row.slow, one.row.skewed, one.row.idsLost, one.row.dies, one.row.note} {
			if text != "" {
				fmt.Fprintf(w, "; %s", text)
			}
		}
		fmt.Fprintf(w, ".\n  What would make it fail: %s.\n", whatFails[one.row.name])
		for _, p := range one.problems {
			fmt.Fprintf(w, "  - **%s**\n", strings.Join(strings.Fields(p), " "))
		}
	}
	w.WriteString("\n")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func (r *result) strikeCount() (n int) {
	for _, c := range r.strikes {
		n += c
	}
	return n
}

// strikeText tells which faults struck how often, and what they did.
func (r *result) strikeText() string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(r.strikes)) {
		parts = append(parts, fmt.Sprintf("%d × %s", r.strikes[what], what))
	}
	for _, unit := range slices.Sorted(maps.Keys(r.effects)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.effects[unit], unit))
	}
	return strings.Join(parts, ", ")
}

func (r *report) notes(w *strings.Builder) {
	w.WriteString(honesty)
}

const honesty = `## What this does not show

- Machines do not lose power here: processes are killed, so what a server had written before it replied is on disk. The row of the power loss cuts the file off instead; a real disk may lose more.
- Failover of an asynchronous replica loses what the replica had not got; the rows above say how much when it was half a second behind. AwaitReplicas tells the producer which offers those are; it does not bring back acks, so messages are handled again.
- An offer that tells "outcome unknown", and one whose producer was killed, may be handled or not. Offers with a key can be repeated safely; the producers of these rows do so.
- A message that is running alone, after two processes died with it, goes to the dead store when kill -9 hits that process too: it is counted under dead, not lost.
- Redisson's take() and BLPOP have no lease and nobody who would notice a death: what they lose stays lost, so their recovery is that of the messages they did not lose.
- Producers and transferrers of the peers that share the queue are duequeue's; the transferring that Redisson does itself is on in its row. asynq has its own producers.
- Figures are of one run with one seed on one machine.
`
