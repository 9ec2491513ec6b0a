package interop_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// What "duequeue recode" does with the messages of each change and codec: how many it rewrites, leaves as
// they are, since the new class reads them, and refuses, and what becomes of the first one. -update-class-changes
// writes it, by which package compat is tested.
var (
	rewritesTable = filepath.Join(classChanges, "rewrites.tsv")
	mappingsFile  = filepath.Join(classChanges, "mappings.txt") // what recode is told of some changes
)

// linkedHashSet is in payloads that Kryo5Codec of Redisson 3.19.0 does not read, changed or not.
var linkedHashSet = []byte("LinkedHashSe")

// TestClassRecode: whatever a change of classes does, the new class reads each message with its values
// after "duequeue recode", or recode has said that it cannot rewrite it.
func TestClassRecode(t *testing.T) {
	t.Parallel()
	chosen := releases(t)
	done := map[string]rewritten{} // by change, codec, mapping and bytes: the releases write the same
	var table []string
	same := map[string]bool{} // what the short form leaves out: changes with which all messages read the same
	for _, r := range changeRows(t) {
		same[keyOf(r.cell)] = strings.HasPrefix(r.cell, keyOf(r.cell)+"\tsame")
	}
	for _, version := range changeReleases {
		if !slices.Contains(chosen, version) {
			t.Logf("report: recoded messages are not judged by Redisson %s, which is not among the releases of this run", version)
			continue
		}
		messages := judgeRecoded(t, version, filepath.Join(classChanges, "changes.txt"), mappingsFile, done, func(m payloadRow) bool {
			return lab.LongForm() || *updateClassChanges || !same[m.change+"\t"+m.codec]
		})
		if version == changeReleases[0] { // which has all codecs
			table = rewriteRows(messages, done)
		}
	}
	if len(table) > 0 {
		compareRewrites(t, strings.Join(table, ""))
	}
}

// TestRandomClassRecode: the same of changes that no table has.
func TestRandomClassRecode(t *testing.T) {
	t.Parallel()
	const version = "3.19.0" // which has all codecs
	if !slices.Contains(releases(t), version) {
		t.Logf("report: random changes are not recoded: Redisson %s is not among the releases of this run", version)
		return
	}
	n := 15
	if lab.LongForm() {
		n = 300
	}
	seed := rand.Uint64()
	changes, _ := randomChanges(seed, n)
	file, mappings := filepath.Join(t.TempDir(), "changes.txt"), filepath.Join(t.TempDir(), "mappings.txt")
	if err := errors.Join(os.WriteFile(file, []byte(changes), 0o600), os.WriteFile(mappings, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	done := map[string]rewritten{}
	judgeRecoded(t, version, file, mappings, done, func(payloadRow) bool { return true })
	var counts [3]int
	for _, r := range done {
		counts[r.column()]++
	}
	t.Logf("report: %d changes of classes from seed %d: of the messages %d were recoded, %d read as they are, %d were refused", n, seed, counts[0], counts[1], counts[2])
}

// judgeRecoded recodes what the old classes write, and reports what the new classes do not read then. It
// returns the messages that wanted chooses.
func judgeRecoded(t *testing.T, version, changes, mappings string, done map[string]rewritten, wanted func(payloadRow) bool) []payloadRow {
	classes := t.TempDir()
	messages := parsePayloads(t, jvm.Run(t, version, "ClassChanges", changes, classes, "write"))
	messages = slices.DeleteFunc(messages, func(m payloadRow) bool { return !wanted(m) || strings.Contains(m.codec, "+") }) // with a mapper of its own no message is recoded
	recodeAll(t, classes, changeMappings(t, mappings), messages, done)
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%x\n", m.change, m.codec, m.number, done[m.key()].payload)
	}
	file := filepath.Join(classes, "recoded.tsv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	verdicts := strings.Split(strings.TrimSpace(jvm.Run(t, version, "ClassChanges", changes, classes, "read", file, mappings)), "\n")
	if len(verdicts) != len(messages) {
		t.Fatalf("Redisson %s has judged %d of %d messages", version, len(verdicts), len(messages))
	}
	for i, m := range messages {
		verdict := strings.Split(verdicts[i], "\t")[3]
		r := done[m.key()]
		good := strings.HasPrefix(verdict, "same") || strings.HasPrefix(verdict, "default") ||
			version == "3.19.0" && m.codec == "kryo5" && bytes.Contains(r.payload, linkedHashSet)
		if !good && r.refused == "" {
			t.Errorf("Redisson %s: %s %s message %s, %s: %s\n%x\n%x", version, m.change, m.codec, m.number, r.what(), verdict, m.payload, r.payload)
		}
	}
	return messages
}

// rewriteRows returns a row for each change and codec.
func rewriteRows(messages []payloadRow, done map[string]rewritten) (rows []string) {
	for len(messages) > 0 {
		first := messages[0]
		var counts [3]int
		for len(messages) > 0 && messages[0].change == first.change && messages[0].codec == first.codec {
			counts[done[messages[0].key()].column()]++
			messages = messages[1:]
		}
		r := done[first.key()]
		result := []string{fmt.Sprintf("%x", r.payload), "the same", "refused: " + r.refused}[r.column()]
		rows = append(rows, fmt.Sprintf("%s\t%s\trecoded %d, as they are %d, refused %d\t%x\t%s\n", first.change, first.codec, counts[0], counts[1], counts[2], first.payload, result))
	}
	return rows
}

// payloadRow is a message of an old class.
type payloadRow struct {
	change, codec, number string
	payload               []byte
}

func (p payloadRow) key() string { return fmt.Sprintf("%s %s %x", p.change, p.codec, p.payload) }

func (p payloadRow) queue() string { return p.change + ":" + p.codec + ":" + p.number }

// rewritten is what recode has made of a message.
type rewritten struct {
	payload []byte
	recoded bool
	refused string // why it was left
}

func (r rewritten) column() int {
	switch {
	case r.refused != "":
		return 2
	case r.recoded:
		return 0
	}
	return 1
}

func (r rewritten) what() string { return []string{"recoded", "left as it is", "refused"}[r.column()] }

func parsePayloads(t *testing.T, text string) (all []payloadRow) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		payload, err := hex.DecodeString(f[3])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, payloadRow{f[0], f[1], f[2], payload})
	}
	return all
}

// recodeAll puts each message into a queue of its own, and runs recode once for each change and codec.
func recodeAll(t *testing.T, classes string, mappings map[string]string, messages []payloadRow, done map[string]rewritten) {
	srv := lab.StartRedis(t)
	rdb := srv.Client()
	groups := map[string][]payloadRow{}
	for _, m := range messages {
		if _, known := done[m.key()]; !known {
			id := m.change + "\t" + m.codec
			groups[id] = append(groups[id], m)
			element := append(binary.LittleEndian.AppendUint64([]byte("\x08message "), uint64(len(m.payload))), m.payload...)
			k := wire.KeysOf(m.queue())
			rdb.RPush(t.Context(), k.Pending, element)
			if err := rdb.ZAdd(t.Context(), k.Timeout, redis.Z{Score: 1e13, Member: element}).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	program := rig.CommandLine(t)
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		group := groups[id]
		m := group[0]
		dir := filepath.Join(classes, m.change)
		args := []string{"recode", "-json", "-share", "1", "-redis", srv.URL(), "-all-old", filepath.Join(t.TempDir(), "written"), "-codec", m.codec, "-old", filepath.Join(dir, "old"), "-new", filepath.Join(dir, "new")}
		if m.codec == "typedjsonjackson" {
			args = append(args, "-class", "change.Order")
		}
		if text := mappings[m.change]; text != "" {
			file := filepath.Join(t.TempDir(), "mapping")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			args = append(args, "-map", file)
		}
		for _, m := range group {
			args = append(args, m.queue())
		}
		out, err := exec.CommandContext(t.Context(), program, args...).Output() // it fails where something is left
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(lines) != len(group) {
			t.Fatalf("recode %s: %v\n%s", id, err, out)
		}
		for i, line := range lines {
			done[group[i].key()] = recoded(t, rdb.ZRange(t.Context(), wire.KeysOf(group[i].queue()).Timeout, 0, -1).Val(), line)
		}
	}
}

func recoded(t *testing.T, elements []string, line string) rewritten {
	var l struct {
		Recoded, Failed int
		Examples        []struct{ Error string }
	}
	if err := json.Unmarshal([]byte(line), &l); err != nil || len(elements) != 1 {
		t.Fatalf("%v in %s, with %d messages", err, line, len(elements))
	}
	_, payload, err := wire.Parse([]byte(elements[0]), false)
	if err != nil {
		t.Fatal(err)
	}
	r := rewritten{payload: payload, recoded: l.Recoded == 1}
	if l.Failed == 1 {
		r.refused = l.Examples[0].Error
	}
	return r
}

// changeMappings returns the mapping of each change that has one.
func changeMappings(t *testing.T, file string) map[string]string {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all, change := map[string]string{}, ""
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			change = strings.TrimSpace(name)
		} else {
			all[change] += line
		}
	}
	return all
}

// compareRewrites compares with the table.
func compareRewrites(t *testing.T, rows string) {
	if *updateClassChanges {
		if err := os.WriteFile(rewritesTable, []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(rewritesTable)
	if err != nil {
		t.Fatal(err)
	}
	has := strings.Split(string(want), "\n")
	for row := range strings.Lines(rows) {
		if !slices.Contains(has, strings.TrimSuffix(row, "\n")) {
			t.Errorf("%s has another row: %s", rewritesTable, row)
		}
	}
}
