package interop_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework"
)

// updateConfiguration writes what the jars read of the example files into the folder of package
// redissonconfig: go test ./interop -run TestRedisson/.*/Configuration -args -update-configuration
var updateConfiguration = flag.Bool("update-configuration", false, "write what the jars read of configuration files")

const redissonConfig = "../../framework/internal/redissonconfig"

// configurationCases are run for each release.
var configurationCases = []testCase{
	{name: "ConfigurationSettings", run: configurationSettings},
	{name: "ConfigurationFiles", run: configurationFiles},
}

// configurationSettings: the settings that are taken over have the types that this release
// knows, and none of its other ones is taken for a mistake.
func configurationSettings(t testing.TB, b *bench) {
	file := filepath.Join(redissonConfig, "settings.tsv")
	kept := map[string]string{}
	for _, line := range lines(t, file) {
		if c := strings.Split(strings.TrimSpace(line), "\t"); len(c) > 1 {
			kept[c[0]] = c[1]
		}
	}
	have, others := map[string]bool{}, "singleServerConfig:\n  address: redis://a:1\n"
	for line := range strings.Lines(javaText(t, b, "settings")) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		if len(c) != 3 {
			t.Fatalf("Java answered %q", line)
		}
		section, name, kind := c[0], c[1], c[2]
		want, ok := kept[name]
		switch {
		case section == "elasticacheServersConfig", strings.HasSuffix(kind, "ServersConfig"):
		case ok && kind != want && (kind != "text" || want != "URL"): // 3.8 has stores as texts
			t.Errorf("Redisson %s: %s.%s is a %s, not a %s as in %s", b.version, section, name, kind, want, file)
		case !ok && !have[name]:
			others += "  " + name + ": x\n"
		}
		have[name] = true
	}
	path := filepath.Join(t.TempDir(), "redisson.yaml")
	if err := os.WriteFile(path, []byte(others), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := framework.LoadRedisson(path); err != nil {
		t.Errorf("settings of Redisson %s that are not taken over: %v", b.version, err)
	}
	if b.version != "3.52.0" { // the last one that knows all of them
		return
	}
	for name := range kept {
		if !have[name] {
			t.Errorf("Redisson %s refuses %s of %s", b.version, name, file)
		}
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
