package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// History of a message that died once before, as the engine writes it.
const onceBefore = "000001" + "0099" +
	"1690000000000 1695000000000 1690000000000-0 rejected 2 1 0 1689999999000 - no stock;50%\xff of \x1b[2J it"

// deadStore fills a dead store as the engine does, one entry at each minute from
// 2023-11-14T22:13:20Z on, and returns the server's client.
func deadStore(t *testing.T, url string) *redis.Client {
	t.Helper()
	t.Setenv(env.RedisVariable, url)
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(o)
	t.Cleanup(func() { _ = rdb.Close() })
	for i, m := range []struct {
		reason, body, detail string
		failed               int
		more                 []any
	}{
		{"exhausted", "\x03order 10\xb1", "no such\x1b[2J order", 5, nil},
		{"malformed", "xyz", "fits neither layout", 0, nil},
		{"rejected", "\x03order 10\xb3", "no stock", 1, []any{"history", onceBefore}},
		{"rejected", "\x03order 10\xb4", "No Stock", 1, nil},
		{"undecodable", `{"@class":"com.example.Order","id":1}`, "not kryo5", 0, nil},
	} {
		ms := 1700000000000 + i*60_000
		err := rdb.XAdd(t.Context(), &redis.XAddArgs{
			Stream: "duequeue:dead:{Q}", ID: fmt.Sprintf("%d-0", ms),
			Values: append([]any{
				"body", m.body, "reason", m.reason, "detail", m.detail, "delivered", m.failed, "failed", m.failed, "at", ms,
				"digest", fmt.Sprintf("digest%d", i),
			}, m.more...),
		}).Err()
		if err != nil {
			t.Fatal(err)
		}
	}
	return rdb
}

// onEither runs a test on a real server and on the embedded one.
func onEither(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("redis", func(t *testing.T) { test(t, lab.StartRedis(t).URL()) })
	t.Run("embedded", func(t *testing.T) { test(t, "redis://"+miniredis.RunT(t).Addr()) })
}

// callDead runs the command and returns what it says.
func callDead(t *testing.T, args string) (code int, out, errText string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), append([]string{"dead"}, strings.Fields(args)...), strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestDead(t *testing.T) {
	const first, bad, third, fourth = "1700000000000-0", "1700000060000-0", "1700000120000-0", "1700000180000-0"
	onEither(t, func(t *testing.T, url string) {
		rdb := deadStore(t, url)
		for _, c := range []struct {
			args         string
			code         int
			out, errText string // parts of what is printed
		}{
			{"list -utc Q", exitOK, first + "  2023-11-14 22:13:20  ", ""},
			{"list Q", exitOK, "\"no such\\x1b[2J order\"  order 101\n", ""},
			{"list Q", exitOK, "ENTRY            DIED (", ""},
			{"list NONE", exitFailed, "", "no such queue: NONE"},
			{"list q", exitFailed, "", "no such queue: q; did you mean Q?"},
			{"list Q -reason exausted", exitUsage, "", `there is no reason "exausted"; did you mean exhausted?; there are malformed,`},
			{"list Q -text nowhere", exitOK, "", "no dead message of queue Q is chosen by -text"},
			{"show Q " + first, exitOK, "codec      kryo5 (", ""},
			{"show Q " + third, exitOK, "redriven   1\ndied       2023-07-22T04:26:40.000Z  rejected, 2 delivered, 1 failed, put back 2023-09-18T01:20:00.000Z  \"no stock;50%\uFFFD of \\x1b[2J it\"\n", ""},
			{"show Q 1-1", exitFailed, "", "the dead store has no such entry: 1-1"},

			{"redrive -all -dry-run -reason rejected Q", exitOK, "No Stock  order 104\n2 would be redriven, 3 left\n", ""},
			{"redrive -all -dry-run -reason rejected Q", exitOK, fourth, ""},
			{"redrive -all -dry-run Q", exitOK, "4 would be redriven, 1 left\n", ""},
			{"redrive -dry-run Q 1-1 " + third, exitFailed, "1 would be redriven, 1 left\n", "no such entry: 1-1"},
			{"drop -all -dry-run -limit 2 Q", exitOK, "2 would be dropped, 3 more match (-limit)\n", ""},
			{"redrive -all -dry-run -limit 3 Q", exitOK, "3 would be redriven, 1 left, 1 more match (-limit)\n", ""},
			{"export -limit 2 Q", exitOK, "1700000060000-0", "2 exported, 0 dropped, 3 more match (-limit)\n"},
			{"drop -dry-run Q 1-1 " + third, exitFailed, "1 would be dropped, 1 missing\n", ""},

			{"redrive Q " + first + " -dry-run", exitOK, "1 would be redriven, 0 left\n", ""},
			{"redrive Q " + bad + " " + first, exitFailed, "1 redriven, 1 left\n", "no known layout"},
			{"redrive -malformed Q " + bad, exitOK, "1 redriven, 0 left\n", ""},
			{"redrive -all -reason rejected -limit 1 -delay 1h -spread 5m Q", exitOK, "1 redriven, 1 more match (-limit)\n", ""},
			{"drop Q " + bad + " " + fourth, exitFailed, "1 dropped, 1 missing\n", ""},
			{"export -drop Q", exitOK, `"payload":"eyJAY2xhc3MiOiJjb20uZXhhbXBsZS5PcmRlciIsImlkIjoxfQ=="`, "1 exported, 1 dropped\n"},
			{"drop -all Q", exitUsage, "", "-all asks first: add -yes, or -dry-run"},
			{"list -yes Q", exitUsage, "", "there is no flag -yes; commands with this flag: reschedule, cancel, move, dead drop"},
			{"drop -all -yes Q", exitOK, "0 dropped, 0 missing\n", ""},
			{"list Q", exitOK, "", "queue Q has no dead messages"},

			{"", exitUsage, "", "no verb given"},
			{"burn Q", exitUsage, "", `unknown verb "burn"`},
			{"list", exitUsage, "", "no queue given"},
			{"redrive Q", exitUsage, "", "name entries, or say -all"},
			{"drop -all Q 1-1", exitUsage, "", "name entries, or say -all"},
			{"drop -limit 3 Q 1-1", exitUsage, "", "-limit goes with -all"},
			{"list -delay 1s Q", exitUsage, "", "commands with this flag: dead redrive"},
			{"drop -all -rate 3 Q", exitUsage, "", "-rate; commands with this flag: "},
			{"redrive -all -delay -1s Q", exitUsage, "", "must not be negative"},
			{"list -since yesterday -until 3 -codec nonsense Q", exitUsage, "", `-since "yesterday": a time such as`},
			{"list -codec nonsense Q", exitUsage, "", "nonsense"},
		} {
			code, out, errText := callDead(t, c.args)
			if code != c.code || !strings.Contains(out, c.out) || c.out == "" && out != "" || !strings.Contains(errText, c.errText) {
				t.Errorf("dead %s: %d\n%s%s", c.args, code, out, errText)
			}
		}
		if ready := rdb.LRange(t.Context(), "Q", 0, -1).Val(); len(ready) != 2 || ready[0] != "\x03order 10\xb1" || ready[1] != "xyz" {
			t.Errorf("ready %q", ready)
		}
		if n := rdb.ZCard(t.Context(), "redisson_delay_queue_timeout:{Q}").Val(); n != 1 {
			t.Errorf("%d delayed", n)
		}
	})
}

// Each filter by itself, and two together.
func TestDeadFilters(t *testing.T) {
	onEither(t, func(t *testing.T, url string) {
		deadStore(t, url)
		for filter, want := range map[string]string{
			"":                               "43210",
			"-reason rejected":               "32",
			"-reason malformed,exhausted":    "10",
			"-text STOCK":                    "32",
			"-digest digest3":                "3",
			"-since 2023-11-14T22:15:20Z":    "432",
			"-until 2023-11-14T22:15:20Z":    "10",
			"-until 1h":                      "43210",
			"-since 1h":                      "",
			"-after 1700000060000-0":         "432",
			"-after 1700000060000":           "432",
			"-min-failed 2":                  "0",
			"-max-failed 1":                  "4321",
			"-min-redriven 1":                "2",
			"-codec JsonJacksonCodec":        "4",
			"-class com.example.Order":       "4",
			"-limit 2":                       "43",
			"-text stock -min-redriven 1":    "2",
			"-reason rejected -codec string": "",
			"-since 2023-11-14T22:14:20Z -after 1700000000000-0": "4321",
		} {
			t.Run(filter, func(t *testing.T) {
				code, out, errText := callDead(t, "list -json "+filter+" Q")
				got := ""
				for line := range strings.Lines(out) {
					var l deadletter.Line
					if err := json.Unmarshal([]byte(line), &l); err != nil {
						t.Fatal(err)
					}
					got += strings.TrimPrefix(l.Digest, "digest")
				}
				if code != exitOK || got != want || (errText != "") != (want == "" || filter == "-limit 2") {
					t.Errorf("%d, entries %q, want %q %s", code, got, want, errText)
				}
			})
		}
	})
}

// TestDeadByClass finds classes as text, and as Kryo writes their names: with a mark in
// the last letter.
func TestDeadByClass(t *testing.T) {
	rdb := deadStore(t, lab.StartRedis(t).URL())
	const body = "\x01\x00com.example.Parce\xec\x0e"
	if err := rdb.XAdd(t.Context(), &redis.XAddArgs{
		Stream: "duequeue:dead:{Q}", ID: "1700000300000-0", Values: []any{"body", body, "reason", "rejected", "at", 1700000300000, "digest", "digest5"},
	}).Err(); err != nil {
		t.Fatal(err)
	}
	for class, want := range map[string]string{
		"com.example.Parcel": "digest5", "com.example.Parce": "digest5", "Parcel": "digest5", "com.example.": "digest5 digest4",
		"com.example.Order": "digest4", "com.example.Parcels": "",
	} {
		t.Run(class, func(t *testing.T) {
			_, out, errText := callDead(t, "list -json -class "+class+" Q")
			var got []string
			for line := range strings.Lines(out) {
				var l deadletter.Line
				if err := json.Unmarshal([]byte(line), &l); err != nil {
					t.Fatal(err)
				}
				got = append(got, l.Digest)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("got %q, want %q; %s", got, want, errText)
			}
		})
	}
}

func TestDeadJSON(t *testing.T) {
	onEither(t, func(t *testing.T, url string) {
		deadStore(t, url)
		code, out, errText := callDead(t, "show -json Q 1700000120000-0")
		var l deadletter.Line
		if err := json.Unmarshal([]byte(out), &l); code != exitOK || err != nil {
			t.Fatal(code, err, errText)
		}
		if l.Body != "036f72646572203130b3" || l.Codecs[0].Codec != "kryo5" || l.Failed != 1 || l.Redriven != 1 || len(l.Deaths) != 1 || l.Deaths[0].Failed != 1 {
			t.Errorf("%s", out)
		}
		code, out, errText = callDead(t, "export -json -reason rejected Q")
		var lines []deadletter.Line
		for line := range strings.Lines(out) {
			var l deadletter.Line
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, l)
		}
		if code != exitOK || len(lines) != 2 || string(lines[0].Payload) != "\x03order 10\xb3" || lines[0].Queue != "Q" || errText != "2 exported, 0 dropped\n" {
			t.Errorf("%d %s%s", code, out, errText)
		}
		if code, out, _ = callDead(t, "drop -json Q 1700000120000-0"); code != exitOK || out != "{\"queue\":\"Q\",\"dropped\":1,\"missing\":0}\n" {
			t.Errorf("%d %s", code, out)
		}
	})
}

// What killed processes or hung stays where all are put back, and is counted; a large payload is cut where
// one is shown.
func TestDeadHarmfulAndLarge(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	for i, reason := range []string{"rejected", "crash-loop", "hung", "crash-loop"} {
		if err := srv.Client().XAdd(t.Context(), &redis.XAddArgs{
			Stream: "duequeue:dead:{Q}", ID: fmt.Sprintf("1700000000000-%d", i),
			Values: []any{"body", strings.Repeat("x", 200_000), "reason", reason, "detail", "why", "at", 1700000000000},
		}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, out string }{
		{"redrive -all -dry-run Q", "1 would be redriven, 3 left; 3 of them killed processes or hung, and stay: -harmful puts them back\n"},
		{"redrive -all Q", "1 redriven, 3 left; 3 of them killed processes or hung, and stay: -harmful puts them back\n"},
		{"redrive -all -json Q", `"left":3,"harmful":3`},
		{"redrive -all -reason hung Q", "1 redriven, 2 left\n"},
		{"redrive Q 1700000000000-1", "1 redriven, 0 left\n"},
		{"redrive -all -harmful -dry-run Q", "1 would be redriven, 0 left\n"},
		{"show -codec string Q 1700000000000-3", "200000 bytes, read as string, cut here: -whole shows all\n"},
	} {
		if code, out, errs := callDead(t, c.args); code != exitOK || !strings.Contains(out, c.out) || len(out) > 20_000 {
			t.Errorf("%s: %d, %d bytes\n%.500s%s", c.args, code, len(out), out, errs)
		}
	}
	if _, out, _ := callDead(t, "show -whole -codec string Q 1700000000000-3"); len(out) < 200_000 {
		t.Errorf("whole: %d bytes", len(out))
	}
}
