package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
)

// History of a message that died once before, as the engine writes it.
const onceBefore = "000001" + "0099" +
	"1690000000000 1695000000000 1690000000000-0 rejected 2 1 0 1689999999000 - no stock;50%\xff of \x1b[2J it"

// deadStore fills a dead store as the engine does, one entry at each minute from
// 2023-11-14T22:13:20Z on, and returns the server's client.
func deadStore(t *testing.T, url string) *redis.Client {
	t.Helper()
	t.Setenv(redisVariable, url)
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
	t.Run("redis", func(t *testing.T) { test(t, redisserver.Start(t).URL()) })
	t.Run("embedded", func(t *testing.T) { test(t, "redis://"+miniredis.RunT(t).Addr()) })
}

// dead runs the command and returns what it says.
func dead(t *testing.T, args string) (code int, out, errText string) {
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
			{"list Q", exitOK, first + "  2023-11-14T22:13:20.000Z  exhausted    10 bytes, 5 delivered, 5 failed  \"no such\\x1b[2J order\"\n", ""},
			{"list NONE", exitOK, "", ""},
			{"show Q " + first, exitOK, "codec      kryo5 (", ""},
			{"show Q " + third, exitOK, "redriven   1\ndied       2023-07-22T04:26:40.000Z  rejected, 2 delivered, 1 failed, put back 2023-09-18T01:20:00.000Z  \"no stock;50%\uFFFD of \\x1b[2J it\"\n", ""},
			{"show Q 1-1", exitFailed, "", "the dead store has no such entry: 1-1"},

			{"redrive -all -dry-run -reason rejected Q", exitOK, fourth + "  2023-11-14T22:16:20.000Z  rejected     10 bytes, 1 delivered, 1 failed  No Stock\n2 would be redriven, 3 left\n", ""},
			{"redrive -all -dry-run Q", exitOK, "4 would be redriven, 1 left\n", ""},
			{"redrive -dry-run Q 1-1 " + third, exitFailed, "1 would be redriven, 1 left\n", "no such entry: 1-1"},
			{"drop -all -dry-run -limit 2 Q", exitOK, "2 would be dropped, 0 missing\n", ""},
			{"drop -dry-run Q 1-1 " + third, exitFailed, "1 would be dropped, 1 missing\n", ""},

			{"redrive Q " + first + " -dry-run", exitUsage, "", "-dry-run after the arguments: flags stand before them"}, // and nothing is put back
			{"redrive Q " + bad + " " + first, exitFailed, "1 redriven, 1 left\n", "no known layout"},
			{"redrive -malformed Q " + bad, exitOK, "1 redriven, 0 left\n", ""},
			{"redrive -all -reason rejected -limit 1 -delay 1h -spread 5m Q", exitOK, "1 redriven, 0 left\n", ""},
			{"drop Q " + bad + " " + fourth, exitFailed, "1 dropped, 1 missing\n", ""},
			{"export -drop Q", exitOK, `"payload":"eyJAY2xhc3MiOiJjb20uZXhhbXBsZS5PcmRlciIsImlkIjoxfQ=="`, "1 exported, 1 dropped\n"},
			{"drop -all Q", exitUsage, "", "-all deletes for good: say -yes, or -dry-run"},
			{"list -yes Q", exitUsage, "", "-yes goes with drop"},
			{"drop -all -yes Q", exitOK, "0 dropped, 0 missing\n", ""},
			{"list Q", exitOK, "", ""},

			{"", exitUsage, "", "say what"},
			{"burn Q", exitUsage, "", `there is no "burn"`},
			{"list", exitUsage, "", "no queue given"},
			{"redrive Q", exitUsage, "", "name entries, or say -all"},
			{"drop -all Q 1-1", exitUsage, "", "name entries, or say -all"},
			{"drop -limit 3 Q 1-1", exitUsage, "", "-limit goes with list, export and -all"},
			{"list -delay 1s Q", exitUsage, "", "-delay goes with redrive"},
			{"drop -all -rate 3 Q", exitUsage, "", "-rate goes with redrive"},
			{"redrive -all -delay -1s Q", exitUsage, "", "must not be negative"},
			{"list -since yesterday -until 3 -codec nonsense Q", exitUsage, "", `-since "yesterday": a time such as`},
			{"list -codec nonsense Q", exitUsage, "", "nonsense"},
		} {
			code, out, errText := dead(t, c.args)
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
			"":                               "01234",
			"-reason rejected":               "23",
			"-reason malformed,exhausted":    "01",
			"-text STOCK":                    "23",
			"-digest digest3":                "3",
			"-since 2023-11-14T22:15:20Z":    "234",
			"-until 2023-11-14T22:15:20Z":    "01",
			"-until 1h":                      "01234",
			"-since 1h":                      "",
			"-after 1700000060000-0":         "234",
			"-after 1700000060000":           "234",
			"-min-failed 2":                  "0",
			"-max-failed 1":                  "1234",
			"-min-redriven 1":                "2",
			"-codec JsonJacksonCodec":        "4",
			"-class com.example.Order":       "4",
			"-limit 2":                       "01",
			"-text stock -min-redriven 1":    "2",
			"-reason rejected -codec string": "",
			"-since 2023-11-14T22:14:20Z -after 1700000000000-0": "1234",
		} {
			t.Run(filter, func(t *testing.T) {
				code, out, errText := dead(t, "list -json "+filter+" Q")
				got := ""
				for line := range strings.Lines(out) {
					var l deadLine
					if err := json.Unmarshal([]byte(line), &l); err != nil {
						t.Fatal(err)
					}
					got += strings.TrimPrefix(l.Digest, "digest")
				}
				if code != exitOK || got != want || errText != "" {
					t.Errorf("%d, entries %q, want %q %s", code, got, want, errText)
				}
			})
		}
	})
}

// typed is what somebody types at a terminal.
type typed struct{ *strings.Reader }

func (typed) Stat() (os.FileInfo, error) { return os.Stat(os.DevNull) }

// TestDropAllAsks at a terminal, and takes nothing but a yes for one.
func TestDropAllAsks(t *testing.T) {
	rdb := deadStore(t, redisserver.Start(t).URL())
	drop := func(answer string, args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"dead", "drop", "-all"}, args...), typed{strings.NewReader(answer)}, &stdout, &stderr)
		return code, stdout.String() + stderr.String()
	}
	for _, answer := range []string{"", "\n", "n\n", "no\n", "yep\n", "-yes\n"} {
		if code, said := drop(answer, "Q"); code != exitFailed || !strings.Contains(said, "Delete all 5 dead messages of queue Q for good? [y/N] ") || !strings.Contains(said, "nothing was dropped") {
			t.Errorf("%q: %d %s", answer, code, said)
		}
	}
	if code, said := drop("n\n", "-reason", "rejected", "Q"); code != exitFailed || !strings.Contains(said, "Delete those that are chosen of 5 dead messages") {
		t.Errorf("%d %s", code, said)
	}
	if n := rdb.XLen(t.Context(), "duequeue:dead:{Q}").Val(); n != 5 {
		t.Fatalf("%d are left", n)
	}
	if code, said := drop(" Y", "-reason", "rejected", "Q"); code != exitOK || !strings.Contains(said, "2 dropped") {
		t.Errorf("%d %s", code, said)
	}
	if code, said := drop("", "-dry-run", "Q"); code != exitOK || strings.Contains(said, "Delete") || !strings.Contains(said, "3 would be dropped") {
		t.Errorf("%d %s", code, said)
	}
	if code, said := drop("", "-yes", "Q"); code != exitOK || strings.Contains(said, "Delete") || !strings.Contains(said, "3 dropped") {
		t.Errorf("%d %s", code, said)
	}
}

// TestDeadByClass finds classes as text, and as Kryo writes their names: with a mark in
// the last letter.
func TestDeadByClass(t *testing.T) {
	rdb := deadStore(t, redisserver.Start(t).URL())
	const body = "\x01\x00com.example.Parce\xec\x0e"
	if err := rdb.XAdd(t.Context(), &redis.XAddArgs{
		Stream: "duequeue:dead:{Q}", ID: "1700000300000-0", Values: []any{"body", body, "reason", "rejected", "at", 1700000300000, "digest", "digest5"},
	}).Err(); err != nil {
		t.Fatal(err)
	}
	for class, want := range map[string]string{
		"com.example.Parcel": "digest5", "com.example.Parce": "digest5", "Parcel": "digest5", "com.example.": "digest4 digest5",
		"com.example.Order": "digest4", "com.example.Parcels": "",
	} {
		t.Run(class, func(t *testing.T) {
			_, out, errText := dead(t, "list -json -class "+class+" Q")
			var got []string
			for line := range strings.Lines(out) {
				var l deadLine
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
		code, out, errText := dead(t, "show -json Q 1700000120000-0")
		var l deadLine
		if err := json.Unmarshal([]byte(out), &l); code != exitOK || err != nil {
			t.Fatal(code, err, errText)
		}
		if l.Body != "036f72646572203130b3" || l.Codecs[0].Codec != "kryo5" || l.Failed != 1 || l.Redriven != 1 || len(l.Deaths) != 1 || l.Deaths[0].Failed != 1 {
			t.Errorf("%s", out)
		}
		code, out, errText = dead(t, "export -json -reason rejected Q")
		var lines []deadLine
		for line := range strings.Lines(out) {
			var l deadLine
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, l)
		}
		if code != exitOK || len(lines) != 2 || string(lines[0].Payload) != "\x03order 10\xb3" || lines[0].Queue != "Q" || errText != "2 exported, 0 dropped\n" {
			t.Errorf("%d %s%s", code, out, errText)
		}
		if code, out, _ = dead(t, "drop -json Q 1700000120000-0"); code != exitOK || out != "{\"dropped\":1,\"missing\":0}\n" {
			t.Errorf("%d %s", code, out)
		}
	})
}
