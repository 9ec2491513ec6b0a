package main

import "time"

// plan says how much is measured.
type plan struct {
	command string
	rounds  int // of everything but steady and idle

	single, batch, bulk int           // messages of one measurement of consume, by how fast they go
	lateFor             time.Duration // of messages that fall due at each rate
	burst               int           // messages due together
	pending             int           // messages, of steady and cancel
	steadyRounds        int
	steadyFor           time.Duration
	calls               int // of each operation that cancels
	offers              int // of one caller; many make more
	bulkOffers          int
	idleFor             time.Duration
	pushes              int           // messages into one of many idle queues
	rush                int           // messages of a rush on several processes
	codecSample         time.Duration // of one codec in Go
	jmh                 []string      // arguments, of one round
}

var fullPlan = plan{
	command: "`go run ./bench`", rounds: 5, single: 15_000, batch: 100_000, bulk: 300_000, lateFor: 5 * time.Second,
	burst: 100_000, pending: 500_000, steadyRounds: 3, steadyFor: 20 * time.Second, calls: 500, offers: 15_000, bulkOffers: 200_000,
	idleFor: 30 * time.Second, pushes: 200, rush: 100_000,
	codecSample: 300 * time.Millisecond, jmh: []string{"-f", "1", "-wi", "3", "-w", "1s", "-i", "3", "-r", "1s"},
}

var quickPlan = plan{
	command: "`go run ./bench -quick`", rounds: 2, single: 4_000, batch: 40_000, bulk: 100_000, lateFor: 2 * time.Second,
	burst: 20_000, pending: 500_000, steadyRounds: 1, steadyFor: 6 * time.Second, calls: 200, offers: 2_500, bulkOffers: 60_000,
	idleFor: 8 * time.Second, pushes: 100, rush: 30_000,
	codecSample: 60 * time.Millisecond, jmh: []string{"-f", "1", "-wi", "1", "-w", "300ms", "-i", "1", "-r", "300ms"},
}
