package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// whereabouts looks for messages in all keys of the row's Redis, whatever they are:
// peers keep theirs elsewhere. Equal ones are counted, and found in the dead store by ID.
func whereabouts(ctx context.Context, rdb redis.UniversalClient, open []*message) (places, error) {
	found := places{}
	equal := map[string][]*message{}
	for _, m := range open {
		if m.group != "" {
			equal[m.group] = append(equal[m.group], m)
		}
	}
	if len(open) == 0 {
		return found, nil
	}
	var mu sync.Mutex
	look := func(ctx context.Context, node *redis.Client) error {
		keys := node.Scan(ctx, 0, "*", 1000).Iterator()
		for keys.Next(ctx) {
			key := keys.Val()
			content, err := contentOf(ctx, node, key)
			if err != nil {
				return fmt.Errorf("look into %q: %w", key, err)
			}
			place := key
			if strings.HasPrefix(key, "duequeue:dead:") {
				place = placeDead
			}
			mu.Lock()
			for _, m := range open {
				mark := m.id + " "
				if m.group != "" {
					mark = strings.TrimPrefix(m.name, m.group+"/")
				}
				if mark != "" && (m.group == "" || place == placeDead) && bytes.Contains(content, []byte(mark)) && found[m.id] != placeDead && !memory(key) {
					found[m.id] = place
				}
			}
			if place != placeDead && !memory(key) {
				for group, rest := range equal {
					n := min(bytes.Count(content, []byte(group+" ")), len(rest))
					for _, m := range rest[:n] {
						if found[m.id] == "" {
							found[m.id] = place
						}
					}
					equal[group] = rest[n:]
				}
			}
			mu.Unlock()
		}
		return keys.Err()
	}
	switch c := rdb.(type) {
	case *redis.ClusterClient:
		return found, c.ForEachMaster(ctx, look)
	case *redis.Client:
		return found, look(ctx, c)
	default:
		return nil, fmt.Errorf("cannot look into a %T", rdb)
	}
}

// memory tells keys that only remember a message or show it, as the list behind Java's
// size() does: nothing is delivered from them.
func memory(key string) bool {
	for _, prefix := range []string{"redisson_delay_queue:", "duequeue:due:", "duequeue:dedup:", "duequeue:trace:", "duequeue:ids:", "duequeue:attempts:"} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

func contentOf(ctx context.Context, node *redis.Client, key string) ([]byte, error) {
	kind, err := node.Type(ctx, key).Result()
	if err != nil {
		return nil, err
	}
	var parts []string
	switch kind {
	case "list":
		parts, err = node.LRange(ctx, key, 0, -1).Result()
	case "zset":
		parts, err = node.ZRange(ctx, key, 0, -1).Result()
	case "set":
		parts, err = node.SMembers(ctx, key).Result()
	case "string":
		var text string
		text, err = node.Get(ctx, key).Result()
		parts = append(parts, text)
	case "hash":
		var fields map[string]string
		fields, err = node.HGetAll(ctx, key).Result()
		for field, value := range fields {
			parts = append(parts, field, value)
		}
	case "stream":
		var entries []redis.XMessage
		entries, err = node.XRange(ctx, key, "-", "+").Result()
		for _, e := range entries {
			body, _ := e.Values["body"].(string)
			id, _ := e.Values["id"].(string)
			parts = append(parts, body, id)
		}
	}
	return []byte(strings.Join(parts, "\n")), err
}
