package fault

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// probeKey is written by probes, and removed again where the write succeeds.
const probeKey = "duequeue-fault-probe"

// errorCount is how many replies with one of these codes (the first word of an error)
// a server gave since it was started, by its own count.
func errorCount(ctx context.Context, rdb *redis.Client, codes ...string) (int, error) {
	info, err := rdb.Info(ctx, "errorstats").Result()
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, code := range codes {
		_, rest, found := strings.Cut(info, "errorstat_"+code+":count=")
		if !found {
			continue
		}
		number, _, _ := strings.Cut(rest, "\r\n")
		n, err := strconv.Atoi(number)
		if err != nil {
			return 0, fmt.Errorf("INFO errorstats says %q for %s", number, code)
		}
		sum += n
	}
	return sum, nil
}

// infoField is one field of INFO, "" where it is missing.
func infoField(ctx context.Context, rdb *redis.Client, section, field string) (string, error) {
	info, err := rdb.Info(ctx, section).Result()
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut("\r\n"+info, "\r\n"+field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value, nil
}

// refusal counts the error replies that a server gives while a fault holds.
type refusal struct {
	codes  []string
	before int
}

// begin notes the count and demands that a write is refused now. That probe is not
// counted.
func (r *refusal) begin(ctx context.Context, rdb *redis.Client) error {
	err := rdb.Set(ctx, probeKey, "", 0).Err()
	if err == nil {
		return errors.Join(fmt.Errorf("%w: a write succeeds", ErrNoEffect), rdb.Del(ctx, probeKey).Err())
	}
	if !r.is(err) {
		return err
	}
	r.before, err = errorCount(ctx, rdb, r.codes...)
	return err
}

func (r *refusal) is(err error) bool {
	for _, code := range r.codes {
		if strings.HasPrefix(err.Error(), code) {
			return true
		}
	}
	return false
}

// since is how many there were. A server that was started again meanwhile counts anew.
func (r *refusal) since(ctx context.Context, rdb *redis.Client) (int, error) {
	now, err := errorCount(ctx, rdb, r.codes...)
	if err != nil {
		return 0, err
	}
	if now < r.before {
		return now, nil
	}
	return now - r.before, nil
}
