package control

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// AuditRedis is what [WriteAudit] needs of a client.
type AuditRedis interface {
	redis.Scripter
	XRangeN(ctx context.Context, stream, start, stop string, count int64) *redis.XMessageSliceCmd
	XDel(ctx context.Context, stream string, ids ...string) *redis.IntCmd
}

const (
	trimSlack = 100 // entries beyond MostAudit, so that not each write trims
	trimPage  = 500 // entries of one command
)

// trimAudit removes what a stream has beyond MostAudit entries: the oldest entries of the user who has the
// most, so that no user pushes out what others did. What fails is tried by a later write; the
// script bounds a stream whose trims keep failing.
func trimAudit(ctx context.Context, rdb AuditRedis, key string) error {
	of, all := map[string][]string{}, 0 // ids by user, the oldest first
	for from := "-"; ; {
		auditPage, err := rdb.XRangeN(ctx, key, from, "+", trimPage).Result()
		if err != nil {
			return err
		}
		for _, m := range auditPage {
			who, _ := m.Values[auditWho].(string)
			of[who] = append(of[who], m.ID)
		}
		if all += len(auditPage); len(auditPage) < trimPage {
			break
		}
		from = "(" + auditPage[len(auditPage)-1].ID
	}
	var gone []string
	for ; all > MostAudit; all-- {
		most := ""
		for who, ids := range of {
			if len(ids) > len(of[most]) {
				most = who
			}
		}
		gone, of[most] = append(gone, of[most][0]), of[most][1:]
	}
	for len(gone) > 0 {
		n := min(len(gone), trimPage)
		if err := rdb.XDel(ctx, key, gone[:n]...).Err(); err != nil {
			return err
		}
		gone = gone[n:]
	}
	return nil
}
