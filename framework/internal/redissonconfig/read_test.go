package redissonconfig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goldenReleases are those of which testdata/java says what they read; the integration module
// holds it to the jars.
var goldenReleases = []string{"3.8.1", "3.18.1", "3.45.1", "4.7.0"}

// laxer are files that a release refuses for another reason than a name, and that are read here:
// the value is clear.
var laxer = map[string]string{
	"replicated.yaml 3.8.1": "numbers in other forms", "listedaddress.yaml 3.8.1": "a list of one", "listedaddress.yaml 3.18.1": "a list of one",
	"listedaddress.yaml 3.45.1": "a list of one", "user.yaml 4.7.0": "DefaultNameMapper moved to another package",
	"retryinterval.yaml 4.7.0": "a setting that is not taken over", "user.yaml 3.8.1": "a login of later releases", "rootlogin.yaml 3.8.1": "a login of later releases",
	"rootlogin.yaml 3.18.1": "a login of later releases", "rootlogin.yaml 3.45.1": "a login of later releases", "mapper.yaml 3.8.1": "a mapper of later releases",
	"sentinellogin.yaml 3.8.1": "a codec of later releases", "sentinellogin.yaml 3.18.1": "a codec of later releases", "kryo5fields.yaml 3.8.1": "a codec of later releases", "kryo5fields.yaml 3.18.1": "fields of a codec", "kryo5fields.yaml 3.45.1": "fields of a codec",
	"mapper.yaml 3.18.1": "the class is not there", "mapper.yaml 3.45.1": "the class is not there", "mapper.yaml 4.7.0": "the class is not there",
	"class.json 4.7.0": "the release reads no JSON",
}

// stricter are files that Redisson takes and that are refused here, for they would not do what
// they say.
var stricter = map[string]string{
	"twomodes.yaml": "Redisson uses singleServerConfig alone", "nothing.yaml": "says not where Redis is", "empty.yaml": "says not where Redis is",
}

// TestJavaReads: of each file we read what the released jars read.
func TestJavaReads(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/files/*.*")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		for _, version := range goldenReleases {
			name := filepath.Base(file)
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				golden, err := os.ReadFile("testdata/java/" + name + "." + version)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Read(Source{File: name, Text: text, Release: version, Secrets: true})
				refused := string(golden) == "refused\n"
				_, lax := laxer[name+" "+version]
				_, strict := stricter[name]
				switch {
				case refused && err == nil && !lax, !refused && err != nil && !strict:
					t.Fatalf("refused by Java: %v; here: %v", refused, err)
				case err == nil && !refused:
					compare(t, got, string(golden))
				}
			})
		}
	}
}

// compare holds what was read against what Java says: "section name value" on each line, with
// tabs between, defaults too.
func compare(t *testing.T, got *Reading, golden string) {
	t.Helper()
	java := map[string]string{}
	section := ""
	for line := range strings.Lines(golden) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if c[0] != "config" {
			section = c[0]
		}
		if _, ok := java[c[1]]; !ok || c[0] != "config" {
			java[c[1]] = c[2]
		}
	}
	value := func(path string) string { return strings.Join(got.fields[path].values, ", ") }
	for name, path := range map[string]string{"connectTimeout": "redis.dial_timeout", "timeout": "redis.read_timeout"} {
		if f, ok := got.fields[path]; ok && f.values[0] != millis(java[name]) {
			t.Errorf("%s is %s, in Java %s ms", path, f.values[0], java[name])
		}
	}
	for _, n := range got.Notes {
		name := n.Setting[strings.LastIndexByte(n.Setting, '.')+1:]
		have := n.Value
		if strings.HasSuffix(n.Why, "in the address") {
			continue
		}
		switch name {
		case "password", "sentinelPassword":
			have = value("redis." + map[string]string{"password": "password", "sentinelPassword": "sentinel_password"}[name])
		case "nodeAddresses", "sentinelAddresses":
			list := strings.Split(have, ", ")
			slices.Sort(list)
			have = "[" + strings.Join(list, ", ") + "]"
		case "database", "connectTimeout", "timeout":
			have = "" // its form may differ; see the fields
		}
		if want, ok := java[name]; ok && have != "" && !strings.Contains(have, "(redacted)") && want != have && n.At != "" && want != strings.ReplaceAll(have, "yes", "true") {
			t.Errorf("%s is %q, in Java %q", n.Setting, have, want)
		}
	}
	url := map[string]string{"singleServerConfig": "address", "masterSlaveServersConfig": "masterAddress"}[section]
	if db := java["database"]; url != "" {
		want := strings.Replace(java[url], "valkey://", "redis://", 1)
		if at := strings.IndexByte(want, '@'); at >= 0 { // what follows the port is ignored
			want = "redis://" + strings.TrimSuffix(want[at+1:], "/4")
		}
		if db != "0" {
			want += "/" + db
		}
		if value("redis.url") != want {
			t.Errorf("redis.url is %s, in Java %s with database %s", value("redis.url"), java[url], db)
		}
	}
}

func millis(text string) string {
	if len(text) > 3 && strings.HasSuffix(text, "000") {
		return text[:len(text)-3] + "s"
	}
	return map[string]string{"2500": "2.5s", "1234": "1.234s"}[text]
}

// TestEveryKeptSettingIsDecidedAbout: each setting of the table is taken over, or says why not.
func TestEveryKeptSettingIsDecidedAbout(t *testing.T) {
	t.Parallel()
	for name, known := range kept {
		if strings.HasSuffix(name, "ddress") || strings.HasSuffix(name, "Addresses") || name == "database" {
			continue
		}
		r := &reader{byName: map[string]*setting{}, out: Reading{fields: map[string]field{}}}
		s := &setting{row: known, text: "NONE", number: 1, class: "org.redisson.codec.Kryo5Codec"}
		r.one(s)
		if s.note.Verdict == "" || s.note.Verdict == NotTaken && s.note.Why == "" {
			t.Errorf("%s: %+v", name, s.note)
		}
	}
}

// printed is all that a person sees of a file that was read or refused.
func printed(got *Reading, err error) string {
	if err != nil {
		return err.Error()
	}
	out := string(got.YAML())
	for _, n := range got.Notes {
		out += "\n" + n.Setting + " = " + n.Value + ": " + n.Why
	}
	return out
}

// notes are files, what must be said of them, and the release that reads them.
var notes = map[string]struct{ text, want, release string }{
	"a store behind a URL":        {"singleServerConfig: {address: 'rediss://a:1', sslKeystore: 'https://u:geheim@h/t.p12?sig=geheim'}\n", "sslKeystore = (redacted) (f:1): stores of Java are not read here. Write certificate and key as PEM by: keytool", ""},
	"a store as a file":           {"singleServerConfig: {address: 'rediss://a:1', sslTruststore: 'file:///etc/a@b.jks?geheim'}\n", "keytool -list -rfc -keystore STORE > ca.pem", ""},
	"a setting of the root":       {"address: redis://a:1\n", "address (f:1): belongs into the part that says where Redis is", ""},
	"settings without meaning":    {"threads: 4\nsingleServerConfig: {address: 'redis://a:1', nosuch: geheim, slaveConnectionPoolSize: 9}\n", "# Not taken over:\n# - threads (f:1)\n# - singleServerConfig.nosuch (f:2)\n# - singleServerConfig.slaveConnectionPoolSize (f:2)\n", ""},
	"a comma":                     {"singleServerConfig: {address: 'redis://a:1', password: abc,geheim}\n", "singleServerConfig (f:1): a key that is unknown; quote values", ""},
	"a comma and a colon":         {"singleServerConfig: {address: 'redis://a:1', password: abc,geheim:x}\n", "singleServerConfig (f:1): a key that is unknown", ""},
	"a comma and a colon behind":  {"singleServerConfig: {address: 'redis://a:1', password: abc,geheim:x: }\n", "singleServerConfig (f:1): a key that is unknown", ""},
	"a comma and a bare colon":    {"singleServerConfig: {address: 'redis://a:1', password: abc,geheim: }\n", "singleServerConfig (f:1): a key that is unknown", ""},
	"a comma at the root":         {"{singleServerConfig: {address: 'redis://a:1'}, password: abc,geheim}\n", "configuration (f:1): a key that is unknown", ""},
	"a number behind a comma":     {"singleServerConfig: {address: 'redis://a:1', password: geheim,4711}\n", "singleServerConfig (f:1): a key must be a plain text", ""},
	"a comma in a variable":       {"singleServerConfig: {address: 'redis://a:1', password: ${COMMA}}\n", "singleServerConfig (f:1): a key that is unknown", ""},
	"a line in a variable":        {"singleServerConfig:\n  password: ${LINE}\n  address: redis://a:1\n", "singleServerConfig (f:3): a key that is unknown", ""},
	"a misspelt key":              {"singleServerConfig:\n  addressx: redis://a:1\n", "singleServerConfig.addressx (f:2): unknown to Redisson; did you mean address?", ""},
	"a Sentinel's login":          {"sentinelServersConfig: {masterName: m, sentinelAddresses: ['redis://u:geheim@s:1', 'redis://t:2']}\n", "sentinel_username: \"u\"\n  # sentinelServersConfig.sentinelAddresses (f:1): the sentinelPassword in the address; Redisson logs in so to this Sentinel, here to all\n  # sentinel_password: is not written", ""},
	"a Sentinel's and a server's": {"sentinelServersConfig: {masterName: m, username: v, password: geheim, sentinelAddresses: ['redis://u:geheimer@s:1']}\n", "  username: \"v\"\n  # sentinelServersConfig.password (f:1)\n", ""},
	"another Sentinel's login":    {"sentinelServersConfig: {masterName: m, sentinelPassword: geheim, sentinelAddresses: ['redis://u:geheimer@s:1']}\n", "carries another sentinelPassword than sentinelServersConfig.sentinelPassword (f:1)", ""},
	"a server's, no Sentinel's":   {"sentinelServersConfig: {masterName: m, password: geheim, sentinelAddresses: ['redis://s:1']}\n", "with the one of the servers", ""},
	"percents in any release":     {"singleServerConfig: {address: 'redis://a%2Fb:geheim@s:1'}\n", `username: "a/b"`, ""},
	"percents in an old release":  {"singleServerConfig: {address: 'redis://a%2Fb:ge%heim@s:1'}\n", `username: "a%2Fb"`, "3.30.0"},
	"percents in a new release":   {"singleServerConfig: {address: 'redis://a%2Fb:geheim@s:1'}\n", `username: "a/b"`, "3.35.0"},
	"a stray percent":             {"singleServerConfig: {address: 'redis://a:ge%heim@s:1'}\n", "not percent-encoded, as Redisson wants since 3.35.0; name the release", ""},
}

// TestNotes: a file is read or refused with the note that a person needs, without a password.
func TestNotes(t *testing.T) {
	t.Parallel()
	for name, c := range notes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := printed(Read(Source{File: "f", Text: []byte(c.text), Release: c.release, Environ: []string{"COMMA=abc, geheim: x", "LINE=abc\n  geheim: x"}}))
			if !strings.Contains(out, c.want) || strings.Contains(out, "geheim") || strings.Contains(out, "4711") {
				t.Errorf("%s\nwant %s", out, c.want)
			}
		})
	}
}

// TestNoSecrets: what is printed of a file without being asked for passwords shows none, be it
// read or refused.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	files, _ := filepath.Glob("testdata/files/*.*")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	for name, c := range hostile {
		texts["hostile: "+name] = c.text
	}
	for _, c := range springCases {
		texts["spring: "+c.name] = c.text
	}
	for name, c := range notes {
		texts["notes: "+name] = c.text
	}
	refused, shown := 0, 0
	for name, text := range texts {
		got, err := Read(Source{File: "f", Text: []byte(text)})
		out := printed(got, err)
		for _, secret := range []string{"s3cr", "geheim", "wachsam", "0815", "changeit"} {
			if strings.Contains(text, secret) {
				if shown++; err != nil {
					refused++
				}
			}
			if strings.Contains(out, secret) {
				t.Errorf("%s shows %q:\n%s", name, secret, out)
			}
		}
	}
	if shown < 40 || refused < 15 {
		t.Errorf("%d secrets were looked for, %d of them in files that are refused", shown, refused)
	}
}
