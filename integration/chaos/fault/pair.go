package fault

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Pair is a primary with one replica, for [ReadOnly].
type Pair struct {
	Primary *Server // the one whose address clients get
	Replica *Server
}

// StartPair runs both and returns when the replica follows; Close ends them.
func StartPair(ctx context.Context, o ServerOptions) (*Pair, error) {
	primary, err := StartServer(ctx, o)
	if err != nil {
		return nil, err
	}
	o.Config = append(append([]string(nil), o.Config...), fmt.Sprintf("replicaof 127.0.0.1 %d", primary.port))
	replica, err := StartServer(ctx, o)
	if err != nil {
		return nil, errors.Join(err, primary.Close())
	}
	p := &Pair{Primary: primary, Replica: replica}
	if err := awaitFollows(ctx, replica, primary); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Close ends both.
func (p *Pair) Close() error { return errors.Join(p.Primary.Close(), p.Replica.Close()) }

// ReadOnly makes the primary a replica of its replica, so that clients that stay at its
// address are answered READONLY and blocked ones are thrown out (UNBLOCKED), as after a
// failover that a client has not heard of.
//
// It does so by FAILOVER, which lets no write pass before both have the same data, and
// Heal goes back the same way: as long as nobody writes to the replica's address nothing
// is lost. (REPLICAOF alone would make the server throw its data away and load those of
// the other, so what it had not sent yet would be lost by the fault itself.)
func ReadOnly(p *Pair) Fault {
	f := &simple{state: state{name: "READONLY: primary became a replica", unit: "commands refused with READONLY"}}
	refused := refusal{codes: []string{"READONLY", "UNBLOCKED"}}
	f.begin = func(ctx context.Context) error {
		if err := handOver(ctx, p.Primary, p.Replica); err != nil {
			return err
		}
		if err := refused.begin(ctx, p.Primary.client); err != nil {
			return errors.Join(err, handOver(ctx, p.Replica, p.Primary))
		}
		return nil
	}
	f.end = func(ctx context.Context) error {
		n, err := refused.since(ctx, p.Primary.client)
		if err != nil {
			return err
		}
		f.effects.Add(int64(n))
		refused.before += n
		role, err := infoField(ctx, p.Primary.client, "replication", "role")
		if err != nil {
			return err
		}
		if role != "master" { // a Heal that was broken off may have come that far
			if err := handOver(ctx, p.Replica, p.Primary); err != nil {
				return err
			}
		}
		return writable(ctx, p.Primary.client)
	}
	return f
}

// handOver swaps the roles of two servers without loss.
func handOver(ctx context.Context, from, to *Server) error {
	if err := awaitFollows(ctx, to, from); err != nil {
		return err
	}
	if err := from.client.Do(ctx, "failover", "to", "127.0.0.1", to.port).Err(); err != nil {
		return fmt.Errorf("FAILOVER of %s: %w", from.Addr(), err)
	}
	return awaitFollows(ctx, from, to)
}

// awaitFollows waits until one server is a replica of the other and their link is up.
func awaitFollows(ctx context.Context, replica, primary *Server) error {
	return await(ctx, func() error {
		err := follows(ctx, replica.client, primary.port)
		if err != nil {
			return fmt.Errorf("%w: %s does not follow %s: %w", errNotYet, replica.Addr(), primary.Addr(), err)
		}
		// The primary must see it online too: FAILOVER refuses otherwise.
		info, err := primary.client.Info(ctx, "replication").Result()
		if err != nil {
			return err
		}
		if !strings.Contains(info, fmt.Sprintf(",port=%d,state=online,", replica.port)) {
			return fmt.Errorf("%w: %s is not online for %s", errNotYet, replica.Addr(), primary.Addr())
		}
		return nil
	})
}

func follows(ctx context.Context, rdb *redis.Client, port int) error {
	info, err := rdb.Info(ctx, "replication").Result()
	if err != nil {
		return err
	}
	for _, want := range []string{"role:slave", "master_port:" + strconv.Itoa(port), "master_link_status:up"} {
		if !strings.Contains(info, want+"\r\n") {
			return fmt.Errorf("INFO lacks %s", want)
		}
	}
	return nil
}
