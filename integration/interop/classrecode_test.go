package interop_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
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

// recodedTable says of each change and codec what "duequeue recode" does with the messages that Java's
// new class fails on or misreads: how many it rewrites, leaves as they are, and refuses.
const recodedTable = "testdata/classrecode.tsv"

// mappingsFile has what recode is told of some changes.
const mappingsFile = "testdata/classrecode.map"

// TestClassRecode: whatever a change of classes does, the new class reads each message with its values
// after "duequeue recode", or recode has said that it cannot rewrite it.
func TestClassRecode(t *testing.T) {
	t.Parallel()
	chosen := releases(t)
	done := map[string]rewritten{} // by change, codec, mapping and bytes: the releases write the same
	table := map[string][3]int{}
	for _, version := range changeReleases {
		if !slices.Contains(chosen, version) {
			t.Logf("report: recoded messages are not judged by Redisson %s, which is not among the releases of this run", version)
			continue
		}
		classes := t.TempDir()
		changes := filepath.Join(classChanges, "changes.txt")
		messages := parsePayloads(t, jvm.Run(t, version, "ClassChanges", changes, classes, "write"))
		recodeAll(t, classes, messages, done)
		var b strings.Builder
		for _, m := range messages {
			fmt.Fprintf(&b, "%s\t%s\t%s\t%x\n", m.change, m.codec, m.number, done[m.key()].payload)
		}
		file := filepath.Join(classes, "recoded.tsv")
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		verdicts := strings.Split(strings.TrimSpace(jvm.Run(t, version, "ClassChanges", changes, classes, "read", file, mappingsFile)), "\n")
		if len(verdicts) != len(messages) {
			t.Fatalf("Redisson %s has judged %d of %d messages", version, len(verdicts), len(messages))
		}
		for i, m := range messages {
			verdict := strings.Split(verdicts[i], "\t")[3]
			r := done[m.key()]
			if good := strings.HasPrefix(verdict, "same") || strings.HasPrefix(verdict, "default"); !good && r.refused == "" {
				t.Errorf("Redisson %s: %s %s message %s, %s: %s\n%x\n%x", version, m.change, m.codec, m.number, r.what(), verdict, m.payload, r.payload)
			}
			if version == changeReleases[0] {
				counts := table[m.change+"\t"+m.codec]
				counts[r.column()]++
				table[m.change+"\t"+m.codec] = counts
			}
		}
	}
	if len(table) > 0 {
		compareRecoded(t, table)
	}
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
func recodeAll(t *testing.T, classes string, messages []payloadRow, done map[string]rewritten) {
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
	program, mappings := rig.CommandLine(t), changeMappings(t)
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		group := groups[id]
		m := group[0]
		dir := filepath.Join(classes, m.change)
		args := []string{"recode", "-json", "-share", "1", "-redis", srv.URL(), "-codec", m.codec, "-old", filepath.Join(dir, "old"), "-new", filepath.Join(dir, "new")}
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
func changeMappings(t *testing.T) map[string]string {
	data, err := os.ReadFile(mappingsFile)
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

// compareRecoded compares the counts with the table.
func compareRecoded(t *testing.T, table map[string][3]int) {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(table)) {
		n := table[id]
		fmt.Fprintf(&b, "%s\trecoded %d, as they are %d, refused %d\n", id, n[0], n[1], n[2])
	}
	if *updateClassChanges {
		if err := os.WriteFile(recodedTable, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(recodedTable)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Errorf("%s is another one now (-update-class-changes writes it):\n%s", recodedTable, b.String())
	}
}
