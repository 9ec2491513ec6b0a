package fault

import (
	"net"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// primary is the server that the first Sentinel names, nil while it names none.
func primary(tb testing.TB, g *lab.Sentinel) *lab.Server {
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: g.Addrs()[0], DisableIdentity: true})
	defer func() { _ = sentinel.Close() }()
	addr, err := sentinel.GetMasterAddrByName(tb.Context(), g.MasterName()).Result()
	if err != nil {
		return nil
	}
	for _, s := range []*lab.Server{g.Master(), g.Replica()} {
		if net.JoinHostPort(addr[0], addr[1]) == s.Addr() {
			return s
		}
	}
	return nil
}

// follows tells whether a server is a replica whose link to its primary is up.
func follows(tb testing.TB, s *lab.Server) bool {
	return infoField(tb, s.Client(), "role") == "slave" && infoField(tb, s.Client(), "master_link_status") == "up"
}

// PrimaryKill ends the primary by SIGKILL: the Sentinels take three seconds to notice. End waits
// for the new primary, starts the old server again and waits until one of the two follows the
// other. A Sentinel that noticed late may fail over once more, back to the old server, also after
// End: the effects count the failovers up to now.
func PrimaryKill(tb testing.TB, g *lab.Sentinel) Fault {
	var old *lab.Server
	first := epoch(tb, g)
	return Fault{
		Name: "Sentinel: primary kill -9",
		Begin: func() {
			if old = primary(tb, g); old == nil {
				tb.Fatal("the Sentinels name no primary")
			}
			old.Kill()
		},
		End: func() {
			lab.WaitFor(tb, "another primary", func() bool {
				p := primary(tb, g)
				return p != nil && p != old && infoField(tb, p.Client(), "role") == "master"
			})
			old.Restart()
			lab.WaitFor(tb, "that one server follows the other", func() bool {
				p := primary(tb, g)
				return p == g.Master() && follows(tb, g.Replica()) || p == g.Replica() && follows(tb, g.Master())
			})
		},
		Effects: func() int { return epoch(tb, g) - first },
	}
}

// epoch is the number of the last failover that the first Sentinel knows.
func epoch(tb testing.TB, g *lab.Sentinel) int {
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: g.Addrs()[0], DisableIdentity: true})
	defer func() { _ = sentinel.Close() }()
	master, err := sentinel.Master(tb.Context(), g.MasterName()).Result()
	noError(tb, err)
	n, err := strconv.Atoi(master["config-epoch"])
	noError(tb, err)
	return n
}

// CutReplication keeps the replica of a Sentinel group from following its primary, as a broken
// network between them does: the primary forbids what replication needs. End counts the bytes
// that the replica lacks; the cut lasts until the primary is killed, since a restart ends it.
func CutReplication(tb testing.TB, g *lab.Sentinel) Fault {
	var from *lab.Server
	lacks := 0
	offset := func(s *lab.Server, field string) int {
		n, err := strconv.Atoi(infoField(tb, s.Client(), field))
		noError(tb, err)
		return n
	}
	return Fault{
		Name: "replication cut",
		Begin: func() {
			if from = primary(tb, g); from == nil {
				tb.Fatal("the Sentinels name no primary")
			}
			noError(tb, from.Client().Do(tb.Context(), "acl", "setuser", "default", "-psync", "-replconf", "-sync").Err())
			noError(tb, from.Client().Do(tb.Context(), "client", "kill", "type", "replica").Err())
		},
		End: func() {
			for _, s := range []*lab.Server{g.Master(), g.Replica()} {
				if s != from {
					lacks += offset(from, "master_repl_offset") - offset(s, "slave_repl_offset")
				}
			}
		},
		Effects: func() int { return lacks },
	}
}
