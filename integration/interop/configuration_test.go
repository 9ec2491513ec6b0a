package interop_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// updateConfiguration writes what the jars know of configuration files into the folder of
// package redissonconfig: its table of settings, and what its example files say. Remove the
// rows of the table first, then: go test ./interop -run TestRedisson/.*/Configuration -args
// -update-configuration
var updateConfiguration = flag.Bool("update-configuration", false, "write the table of Redisson's settings and what the jars read")

const redissonConfig = "../../framework/internal/redissonconfig"

// configurationCases are run for each release.
var configurationCases = []testCase{
	{name: "ConfigurationSettings", run: configurationSettings},
	{name: "ConfigurationFiles", run: configurationFiles},
}

// settingRow is a line of the table: a setting, its type, and the first and the last tested
// release that accepts it.
type settingRow struct{ section, name, kind, first, last string }

func (r settingRow) key() string { return r.section + "." + r.name }

// configurationSettings: this release accepts the settings that the table says, no more and
// no less.
func configurationSettings(t testing.TB, b *bench) {
	file := filepath.Join(redissonConfig, "settings.tsv")
	table := map[string]settingRow{}
	for _, line := range lines(t, file) {
		if c := strings.Split(line, "\t"); len(c) == 5 {
			row := settingRow{c[0], c[1], c[2], c[3], c[4]}
			table[row.key()] = row
		}
	}
	order := jvm.Versions()
	at := slices.Index(order, b.version)
	have := map[string]bool{}
	for line := range strings.Lines(javaText(t, b, "settings")) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		if len(c) != 3 {
			t.Fatalf("Java answered %q", line)
		}
		row := settingRow{c[0], c[1], c[2], b.version, b.version}
		have[row.key()] = true
		known, ok := table[row.key()]
		first, last := slices.Index(order, known.first), slices.Index(order, known.last)
		switch {
		case *updateConfiguration:
			if ok && first < at {
				row.first = known.first
			}
			if ok && last > at {
				row.last, row.kind = known.last, known.kind
			}
			table[row.key()] = row
		case !ok || at < first || at > last:
			t.Errorf("Redisson %s accepts %s: not so in %s", b.version, row.key(), file)
		case at == last && row.kind != known.kind:
			t.Errorf("Redisson %s: %s is a %s, not a %s", b.version, row.key(), row.kind, known.kind)
		}
	}
	if *updateConfiguration {
		writeTable(t, file, table)
		return
	}
	for key, row := range table {
		if at >= slices.Index(order, row.first) && at <= slices.Index(order, row.last) && !have[key] {
			t.Errorf("Redisson %s refuses %s: not so in %s", b.version, key, file)
		}
	}
}

func writeTable(t testing.TB, file string, table map[string]settingRow) {
	t.Helper()
	out := "# Redisson's settings: section, name, type, first and last release that accepts it. Written by integration/interop, see configuration_test.go.\n" +
		"# releases " + strings.Join(jvm.Versions(), " ") + "\n"
	rows := make([]settingRow, 0, len(table))
	for _, row := range table {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b settingRow) int {
		return cmp.Or(strings.Compare(a.section, b.section), strings.Compare(a.name, b.name))
	})
	for _, r := range rows {
		out += strings.Join([]string{r.section, r.name, r.kind, r.first, r.last}, "\t") + "\n"
	}
	if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

// goldenReleases are those for which it is written down what they read: those of make test are
// among them.
var goldenReleases = []string{"3.8.1", "3.18.1", "3.45.1", "4.7.0"}

// configurationFiles: this release reads the example files as it is written down beside them,
// where package redissonconfig finds what it must read.
func configurationFiles(t testing.TB, b *bench) {
	if !slices.Contains(goldenReleases, b.version) {
		return
	}
	files, err := filepath.Glob(filepath.Join(redissonConfig, "testdata/files/*.*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d example files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		quoted, err := json.Marshal(string(text))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := b.jvm.Call(t.Context(), "configuration %s %s", strings.TrimPrefix(filepath.Ext(file), "."), quoted)
		have := "refused\n"
		if err == nil {
			have = unquote(t, answer)
		}
		golden := filepath.Join(redissonConfig, "testdata/java", filepath.Base(file)+"."+b.version)
		if *updateConfiguration {
			if err := os.WriteFile(golden, []byte(ofInterest(have)), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if have = ofInterest(have); have != string(want) {
			t.Errorf("Redisson %s reads %s as\n%s\nnot as in %s:\n%s", b.version, file, have, golden, want)
		}
	}
}

// interesting are the values that a program beside Java needs.
var interesting = []string{
	"address", "masterAddress", "nodeAddresses", "sentinelAddresses", "masterName", "database", "username", "password", "sentinelUsername",
	"sentinelPassword", "connectTimeout", "timeout", "connectionPoolSize", "connectionMinimumIdleSize", "masterConnectionPoolSize",
	"masterConnectionMinimumIdleSize", "clientName", "codec", "nameMapper", "sslTruststore", "sslKeystore", "sslEnableEndpointIdentification",
	"sslVerificationMode", "keepAlive",
}

func ofInterest(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if c := strings.Split(line, "\t"); len(c) < 3 || slices.Contains(interesting, c[1]) {
			out.WriteString(line)
		}
	}
	return out.String()
}

func javaText(t testing.TB, b *bench, command string) string {
	t.Helper()
	answer, err := b.jvm.Call(t.Context(), "%s", command)
	if err != nil {
		t.Fatal(err)
	}
	return unquote(t, answer)
}

func unquote(t testing.TB, quoted string) string {
	t.Helper()
	var text string
	if err := json.Unmarshal([]byte(quoted), &text); err != nil {
		t.Fatalf("Java answered %q: %v", quoted, err)
	}
	return text
}
