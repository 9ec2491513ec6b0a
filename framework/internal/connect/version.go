package connect

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// MinVersion is the oldest Redis that is served: 6.2 brought LMOVE, BLMOVE, LPOP
// with a count and HRANDFIELD.
const MinVersion = fault.MinRedisVersion

// VersionError reports a server that is too old.
type VersionError struct {
	Version string // as the server reports it; empty when it only lacks commands
	Min     string // [MinVersion]
	Missing string // a command it lacks, where the version is unknown
}

// Error says which version is needed and why.
func (e *VersionError) Error() string {
	found := "version " + e.Version
	if e.Version == "" {
		found = "a server without " + e.Missing
	}
	return fmt.Sprintf(
		"redis: found %s, need Redis %s or later, or Valkey: LMOVE, BLMOVE, LPOP with a count and HRANDFIELD are used",
		found, e.Min)
}

// Version returns a [*VersionError] for a Redis older than [MinVersion].
// Valkey counts by the Redis version it reports. Where the server does not tell
// (the embedded one, or a user without INFO), the commands of 6.2 are tried
// instead. It returns the version, or "" where it is unknown.
func Version(ctx context.Context, rdb redisapi.Client) (string, error) {
	info, err := rdb.Info(ctx, "server").Result()
	if version := infoField(info, "redis_version"); err == nil && version != "" {
		if olderThan(version, MinVersion) {
			return version, &VersionError{Version: version, Min: MinVersion}
		}
		return version, nil
	}
	if err != nil && !refusedByServer(err) {
		return "", err
	}
	// HRANDFIELD of a key that cannot exist: it is ours and never written.
	err = rediserr.Classify("HRANDFIELD", rdb.HRandField(ctx, wire.OwnPrefix+"probe:{none}", 1).Err())
	var server *fault.ServerError
	if errors.As(err, &server) && server.Kind == fault.KindUnsupported {
		return "", &VersionError{Min: MinVersion, Missing: "HRANDFIELD"}
	}
	if err != nil && !errors.Is(err, redis.Nil) && !refusedByServer(err) {
		return "", err
	}
	return "", nil
}

// refusedByServer reports an answer that stays, as opposed to one that passes by itself, and to
// the network.
func refusedByServer(err error) bool {
	var answered redis.Error
	return errors.As(err, &answered) && !rediserr.MayPass(err)
}

// infoField returns one value of the reply to INFO.
func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// olderThan compares the first two numbers of two versions.
func olderThan(version, least string) bool {
	have, need := twoNumbers(version), twoNumbers(least)
	return have[0] < need[0] || have[0] == need[0] && have[1] < need[1]
}

func twoNumbers(version string) (n [2]int) {
	for i, part := range strings.SplitN(version, ".", 3) {
		if i < len(n) {
			// What is no number counts as 0.
			n[i], _ = strconv.Atoi(part)
		}
	}
	return n
}
