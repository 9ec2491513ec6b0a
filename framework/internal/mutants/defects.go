package mutants

const (
	engine  = "./framework"
	leases  = "./framework/internal/lease"
	goLease = "framework/internal/lease/"
	lua     = "framework/internal/lease/lua/"
	shared  = "framework/internal/redisson/lua/fragments/"
)

// All mutants: the defects that an audit of the engine found.
var All = []Mutant{
	{
		Number: 1, Name: "blind delete",
		Was: "The ack that ends a fetch deleted its list unseen: what a rollback had brought back there was lost.",
		Edits: []Edit{
			{lua + "settle.lua", "        if live(key) then\n", "        if false then\n"},
		},
		Tests: []Test{
			{leases, "TestRollbackKeepsTheNeighbour"},
			{leases, "TestFailoverKeepsWhatTheReplicaAcknowledged"},
			{leases, "TestRollbackLosesNothing"},
		},
	},
	{
		Number: 3, Name: "suspects stall all",
		Was: "Each suspect waited by itself until nothing ran, and no queue of the process started anything meanwhile.",
		Edits: []Edit{
			{"framework/solo.go", "now.Add(restPerWindow*now.Sub(s.opened))", "now.Add(time.Millisecond)"},
			{"framework/solo.go", "\twaitMost = time.Second\n", "\twaitMost = 24 * time.Hour\n"},
			{"framework/solo.go", "s.awaitIdle(false, time.Now().Add(holdAtOnce))", "s.awaitIdle(false, over)"},
			{"framework/solo.go", "case time.Since(start) >= windowMost:", "case s.left.After(start):"},
			{"framework/solo.go", "\tcase l.solo.alone:\n\t\treturn true\n", "\tcase l.solo.alone:\n\t\treturn false\n"},
		},
		Tests: []Test{
			{engine, "TestSuspectsLeaveOthersTheirTime"},
			{engine, "TestSoloKeepsItsRules"},
			{engine, "TestOthersTakeWhatASuspectWouldHoldUp"},
		},
	},
	{
		Number: 4, Name: "strays stay",
		Was: "A living process whose registration was deleted, or that a rollback gave more than it knew of, kept that in flight until it stopped.",
		Edits: []Edit{
			{lua + "renew.lua", "if not known and not leased then\n", "if not known then\n"},
			{lua + "take.lua", "  lost = call('HSETNX', KEYS[13], ARGV[1], ARGV[5])\n", "  call('HSETNX', KEYS[13], ARGV[1], ARGV[5])\n"},
			{lua + "look.lua", "local unknown = redis.call('HLEN', KEYS[2]) > redis.call('ZCARD', KEYS[1])\n", "local unknown = false\n"},
			{goLease + "wait.go", "added == 1 && noted.Val() && s.registered", "added == 1 && (noted.Val() || true) && s.registered"},
			{goLease + "ack.go", "if words[1] != \"0\" {", "if false {"},
			{goLease + "strays.go", "func (s *Session) Mend(ctx context.Context) error {\n", "func (s *Session) Mend(ctx context.Context) error {\n\tif s != nil {\n\t\treturn nil\n\t}\n"},
			// Strays were counted for a lease after a take that failed.
			{goLease + "session.go", "\tfetches string\n", "\tfetches string\n\tdoubtUntil time.Time\n"},
			{goLease + "take.go", "\t\tif ambiguous(err) {\n\t\t\ts.pending = f\n", "\t\ts.doubtUntil = time.Now().Add(s.opts.Lease)\n\t\tif ambiguous(err) {\n\t\t\ts.pending = f\n"},
			{goLease + "take.go", "if open > known {", "if open > known && time.Now().Before(s.doubtUntil) {"},
		},
		Tests: []Test{
			{leases, "TestDeletedBookkeepingIsMadeAnew"},
			{leases, "TestMendGivesBackWhatARollbackBroughtBack"},
		},
	},
	{
		Number: 6, Name: "64 deaths at a time",
		Was: "The reaper slept after a reply that had been cut at 64 dead sessions.",
		Edits: []Edit{
			{goLease + "reaper.go", "if len(ended) < reapAtOnce {", "if ended != nil || wait > 0 {"},
		},
		Tests: []Test{{leases, "TestHundredsOfDeadSessions"}},
	},
	{
		Number: 7, Name: "the due time of an orphan",
		Was: "Among equal payloads a message got the oldest due time, also that of one which others had taken, and a punctual one expired.",
		Edits: []Edit{
			{shared + "due.lua", "        while of[k] and of[k] < first do\n", "        while false do\n"},
		},
		Tests: []Test{
			{leases, "TestPunctualBesideOrphans"},
			{leases, "TestDueListModel"},
		},
	},
	{
		Number: 8, Name: "a clock that goes back",
		Was: "Where Redis's clock went back, what the dead held came back so much later.",
		Edits: []Edit{
			{lua + "look.lua", "if not deadline or tonumber(deadline) > latest then", "if not deadline then"},
		},
		Tests: []Test{{leases, "TestClockThatGoesBack"}},
	},
	{
		Number: 10, Name: "twins share attempts",
		Was: "Messages with equal payloads counted their failures together, and died exhausted of each other's.",
		Edits: []Edit{
			{
				lua + "nack.lua", "m.failed = m.failed + tonumber(ARGV[2])\n",
				"local twin = index_find(KEYS[9], redis.sha1hex(body), 1)[1]\n" +
					"m.failed = math.max(m.failed, twin and twin[1] or 0) + tonumber(ARGV[2])\n",
			},
		},
		Tests: []Test{{engine, "TestTwinsDoNotDieOfEachOther"}},
	},
}
