package mutants

const (
	engine     = "./framework"
	room       = "./framework/internal/engine"
	windows    = "./framework/internal/engine/suspects"
	leases     = "./framework/internal/lease"
	offers     = "./framework/internal/delayed"
	goDelayed  = "framework/internal/delayed/"
	goLease    = "framework/internal/lease/"
	goSuspects = "framework/internal/engine/suspects/"
	lua        = "framework/internal/lease/lua/"
	parts      = lua + "fragments/"
	shared     = "framework/internal/script/lua/"
)

// All mutants: the defects that an audit of the engine found, and what a later change may
// break without anybody noticing.
var All = []Mutant{
	{
		Number: 1, Name: "blind delete",
		Was: "The ack that ends a fetch deleted its list unseen: what a rollback had brought back there was lost.",
		Edits: []Edit{
			{parts + "settle.lua", "        if live(key) then\n", "        if false then\n"},
		},
		Tests: []Test{
			{leases, "TestRollbackKeepsTheNeighbour"},
			{leases, "TestFailoverKeepsWhatTheReplicaAcknowledged"},
			{leases, "TestRollbackLosesNothing"},
		},
		Row: "sentinel-slow", Says: " lost: ",
	},
	{
		Number: 2, Name: "equal payloads",
		Was: "Each take and offer of an equal payload read the records of all its twins inside Redis.",
		Edits: []Edit{
			{
				lua + "take.lua", "      special = special or size > max_payload\n      if slots then\n",
				"      special = special or size > max_payload\n" +
					"      local _ = bodies[count - 1] == b and table.concat(call('LRANGE', KEYS[7], 0, 2999))\n" +
					"      if slots then\n",
			},
			{
				shared + "trace.lua", "  redis.call('ZADD', key, 0, trace_member(name, record))\n",
				"  local _ = table.concat(redis.call('ZRANGEBYLEX', key, '[' .. name, '(' .. name .. string.rep('\\255', 83), 'LIMIT', 0, 2999))\n" +
					"  redis.call('ZADD', key, 0, trace_member(name, record))\n",
			},
		},
		Tests: []Test{
			{leases, "TestTakeOfEqualPayloads"},
			{leases, "TestEqualPayloadsWithTraces"},
		},
	},
	{
		Number: 3, Name: "suspects stall all",
		Was: "Each suspect waited by itself until nothing ran, and no queue of the process started anything meanwhile.",
		Edits: []Edit{
			{goSuspects + "windows.go", "now.Add(restPerWindow*now.Sub(w.opened))", "now.Add(time.Millisecond)"},
			{goSuspects + "windows.go", "\twaitMost = time.Second\n", "\twaitMost = 24 * time.Hour\n"},
			{goSuspects + "windows.go", "w.awaitIdle(false, time.Now().Add(holdAtOnce))", "w.awaitIdle(false, over)"},
			{goSuspects + "windows.go", "case time.Since(start) >= windowMost:", "case w.left.After(start):"},
			{goSuspects + "queue.go", "\tcase q.windows.alone:\n\t\treturn true\n", "\tcase q.windows.alone:\n\t\treturn false\n"},
		},
		Tests: []Test{
			{engine, "TestSuspectsLeaveOthersTheirTime"},
			{windows, "TestWindowsKeepTheirRules"},
			{engine, "TestOthersTakeWhatASuspectWouldHoldUp"},
		},
	},
	{
		Number: 4, Name: "strays stay",
		Was: "A living process whose registration was deleted, or that a rollback gave more than it knew of, kept that in flight until it stopped.",
		Edits: []Edit{
			{lua + "renew.lua", "if not known and not leased and", "if not known and"},
			{lua + "renew.lua", "(known or leased) and 1", "known and 1"},
			{lua + "take.lua", "  lost = call('HSETNX', KEYS[13], ARGV[1], ARGV[5])\n", "  call('HSETNX', KEYS[13], ARGV[1], ARGV[5])\n"},
			{lua + "look.lua", "redis.call('HLEN', KEYS[2]) > redis.call('ZCARD', KEYS[1])", "false"},
			{goLease + "ack.go", "if words[1] != \"0\" {", "if false {"},
			{goLease + "strays.go", "func (s *Session) Mend(ctx context.Context) error {\n", "func (s *Session) Mend(ctx context.Context) error {\n\tif s != nil {\n\t\treturn nil\n\t}\n"},
			// Strays were counted for a lease after a take that failed.
			{goLease + "session.go", "\tfetches string\n", "\tfetches string\n\tdoubtUntil time.Time\n"},
			{goLease + "take.go", "\t\tif ambiguous(err) {\n\t\t\ts.pending = asked.f\n", "\t\ts.doubtUntil = time.Now().Add(s.opts.Lease)\n\t\tif ambiguous(err) {\n\t\t\ts.pending = asked.f\n"},
			{goLease + "take.go", "if open > known {", "if open > known && time.Now().Before(s.doubtUntil) {"},
		},
		Tests: []Test{
			{leases, "TestDeletedBookkeepingIsMadeAnew"},
			{leases, "TestMendGivesBackWhatARollbackBroughtBack"},
		},
		Row: "keys-deleted",
	},
	{
		Number: 5, Name: "large bodies",
		Was: "A take read as many bodies as it was asked for, however large, and handed few of them out; the end of a session was one script.",
		Edits: []Edit{
			{lua + "take.lua", "part = {call('LINDEX', queue, at) or nil}", "part = call('LRANGE', queue, at, at + want - count - 1)"},
			{goLease + "handback.go", "const giveBackStep = 1 << 20", "const giveBackStep = 1 << 40"},
		},
		Tests: []Test{{leases, "TestLargeBodiesAreReadInSteps"}},
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
			{shared + "due.lua", "        mark = at\n", "        mark = 0\n"},
			{shared + "due.lua", "        while sure and not once and of[k] and of[k] < place do\n", "        while false do\n"},
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
			{lua + "look.lua", "if tonumber(far[i + 1]) > most then", "if false then"},
		},
		Tests: []Test{{leases, "TestClockThatGoesBack"}},
		Row:   "clock-back", Says: "recovery took",
	},
	{
		Number: 9, Name: "the dead without their key",
		Was: "What no session named any more was found by a search of the whole keyspace alone. Here nobody searches.",
		Edits: []Edit{
			{lua + "look.lua", "if not redis.call('ZSCORE', KEYS[1], all[i]) then", "if false then"},
		},
		Tests: []Test{{leases, "TestTheDeadAreFoundWithoutTheirKey"}},
		Row:   "keys-deleted", Says: "not handled within",
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
	{
		Number: 11, Name: "copies without removals",
		Was: "Where Redis refused the removal, what was to be moved to or from the dead store was copied by each try.",
		Edits: []Edit{
			{lua + "restore.lua", "redis.call('XDEL', KEYS[2], '0-0') -- or", "-- or"},
			{lua + "take.lua", "call('LTRIM', stage, 0, -1)\n", "call('SREM', KEYS[4], '')\n"},
			{lua + "handback.lua", "redis.call('LTRIM', stage, 0, -1)\n", "redis.call('SREM', fetches, '')\n"},
		},
		Tests: []Test{{leases, "TestRefusedRemovalsDoubleNothing"}},
	},
	{
		Number: 12, Name: "telemetry that panics",
		Was: "A panic of a span processor or of a slog.Handler killed the process.",
		Edits: []Edit{
			{"framework/internal/telemetry/guard.go", "\tp := recover()\n", "\tvar p any\n"},
			{"framework/internal/errtext/logguard.go", "if p := recover(); p != nil", "if p := any(nil); p != nil"},
		},
		Tests: []Test{{engine, "TestTelemetryAndLogsThatPanicChangeNothing"}},
	},
	{
		Number: 13, Name: "a start after the lease",
		Was: "A process that had stood still started a handler after its lease had ended, until its keeper noticed.",
		Edits: []Edit{
			{"framework/internal/engine/job.go", "j.owned() && !j.session.Expired(now)", "j.owned()"},
		},
		Tests: []Test{{room, "TestNoHandlerStartsAfterTheLeaseThoughNobodyHasFenced"}},
	},
	{
		Number: 14, Name: "eviction untold",
		Was: "Nobody but the doctor told that Redis would evict whole queues.",
		Edits: []Edit{
			{"framework/internal/connect/server.go", "if s.policy != \"\" && s.policy != \"noeviction\" {", "if false {"},
		},
		Tests: []Test{{engine, "TestStartTellsWhichRedisAndWhatLosesMessages"}},
	},
	{
		Number: 15, Name: "results change places",
		Was: "Never so, and so a change of the groups of offers would break them: each caller is told what became of another's message.",
		Edits: []Edit{
			{goDelayed + "turn.go", "n == 0 && a.head == 1\n\t\ti.settle(result, err)\n", "n == 0 && a.head == 1\n\t\titems[len(items)-1-n].settle(result, err)\n"},
		},
		Tests: []Test{{offers, "TestOffersGather"}, {offers, "TestOffersProperty"}},
	},
	{
		Number: 16, Name: "withdrawn and sent",
		Was: "Never so: an offer whose caller has gone and was told that nothing was added is sent all the same.",
		Edits: []Edit{
			{goDelayed + "offers.go", "\t\tcase w.stage == stageLeft:\n\t\tcase len(group) == 0,", "\t\tcase len(group) == 0,"},
		},
		Tests: []Test{{offers, "TestOffersCancelled"}},
	},
	{
		Number: 17, Name: "one partition is reaped",
		Was: "Never so: what a dead process had in hand of other partitions than the first stays there.",
		Edits: []Edit{
			{"framework/internal/engine/build.go", "e.newReaper(s, n)", "e.newReaper(s, 0)"},
		},
		Tests: []Test{{engine, "TestPartitionsOfADeadProcess"}},
		Row:   "partitions-node-kill", Says: " lost: ",
	},
	{
		Number: 18, Name: "deaf to operators",
		Was: "Never so: a process knows what operators had set when it started, and never hears of a change.",
		Edits: []Edit{
			{"framework/internal/control/follow.go", "\tif q != nil && changed {\n", "\tif false {\n"},
			{"framework/internal/control/follow.go", "\tchanged := version != q.version || q.untilMs > 0 && nowMs >= q.untilMs\n", "\tchanged := q.untilMs > 0 && nowMs >= q.untilMs\n"},
		},
		Tests: []Test{{engine, "TestFleetPause"}},
		Row:   "fleet-pause", Says: "paused",
	},
	{
		Number: 19, Name: "takes for nothing",
		Was: "Never so: each look of the watcher at a queue costs a take as well, in every process of a fleet.",
		Edits: []Edit{
			{"framework/internal/watch/batch.go", "if q.expects(w.clock) {", "if true {"},
		},
		Tests: []Test{{"./framework/internal/watch", "TestTransfersThatAreOffered"}},
	},
}
