package redissonconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// springCases are files of Spring Boot, the line of our YAML that must come out, or the
// mistake, and a note that must be there.
var springCases = []struct{ name, text, want, note string }{
	{
		"inline", "spring:\n  redis:\n    host: elsewhere\n    redisson:\n      config: |\n        singleServerConfig:\n          address: redis://${redis.host:10.0.0.1}:6379\n          database: 4\nserver:\n  port: 8080\n",
		"url: redis://10.0.0.9:6379/4", "spring.redis.host (application.yaml:3): spring.redis.redisson.config is there",
	},
	{"places", "spring.redis.redisson.config: |\n  singleServerConfig:\n    nosuch: 1\n", "singleServerConfig.nosuch (application.yaml:3): unknown", ""},
	{"spring's own defaults", "spring:\n  redis:\n    redisson:\n      config: |\n        singleServerConfig:\n          address: redis://${NO_SUCH:-10.0.0.1}:6379\n", "url: redis://-10.0.0.1:6379", ""},
	{"file", "spring:\n  redis:\n    redisson:\n      file: classpath:redisson.yaml\n", "url: redis://10.1.1.1:6379", "singleServerConfig.address (redisson.yaml:2)"},
	{"no file", "spring:\n  redis:\n    redisson:\n      file: classpath:nosuch.yaml\n", "spring.redis.redisson.file (application.yaml:4): names", ""},
	{
		"boot 3", "spring:\n  data:\n    redis:\n      host: ${REDIS_HOST:localhost}\n      port: 6380\n      database: 2\n      password: geheim\n      ssl:\n        enabled: true\n      timeout: 3s\n      connect-timeout: PT2S\n      client-name: shop\n      lettuce:\n        pool:\n          max-active: 8\n",
		"url: rediss://10.0.0.9:6380/2", "spring.data.redis.lettuce.pool.max-active (application.yaml:15): Redisson does not use it",
	},
	{"boot 3 times", "spring.data.redis:\n  host: h\n  connectTimeout: 2500\n", "dial_timeout: 2.5s", ""},
	{"boot 2 sentinel", "spring:\n  redis:\n    sentinel:\n      master: mymaster\n      nodes: 10.0.0.1:26379, 10.0.0.2:26379\n    host: ignored\n    database: 1\n", "- 10.0.0.2:26379", "spring.redis.host (application.yaml:6): Sentinels or a cluster are named"},
	{"cluster", "spring:\n  data:\n    redis:\n      cluster:\n        nodes: [ '10.0.0.1:7000' ]\n        max-redirects: 3\n", "mode: cluster", ""},
	{"default", "spring:\n  redis:\n    database: 3\n", "url: redis://localhost:6379/3", "Spring's default"},
	{"url", "spring:\n  redis:\n    url: redis://u:geheim@h:1\n", "url: redis://localhost:6379", "spring.redis.url (application.yaml:3): what the starter takes of it"},
	{"both", "spring:\n  redis:\n    host: a\n  data:\n    redis:\n      host: b\n", "spring.redis (application.yaml:3): spring.data.redis is there, too", ""},
	{"profile", "spring:\n  redis:\n    host: a\n---\nspring:\n  config:\n    activate:\n      on-profile: prod\n  redis:\n    host: b\n", "url: redis://a:6379", "the profile prod is not read"},
	{"only a profile", "server: {}\n---\nspring:\n  profiles: prod\n  redis:\n    host: b\n", `only the profile "prod" says where Redis is`, ""},
	{"two documents", "spring:\n  redis:\n    host: a\n---\nspring:\n  redis:\n    port: 1\n", "settings of Redis stand in several documents", ""},
	{"not text", "spring:\n  redis:\n    redisson:\n      config: [a]\n", "must be a text, behind |", ""},
	{"bad time", "spring:\n  redis:\n    timeout: soon\n", "spring.redis.timeout (application.yaml:3): must be a length of time", ""},
	{"unset", "spring:\n  redis:\n    host: ${NO_SUCH}\n", "a variable is not set here", ""},
}

// TestSpring: an application.yaml is read as the starter of Redisson reads it.
func TestSpring(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "redisson.yaml"), []byte("singleServerConfig:\n  address: redis://10.1.1.1:6379\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range springCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Read(Source{File: "application.yaml", Folder: dir, Text: []byte(c.text), Environ: []string{"REDIS_HOST=10.0.0.9"}})
			var out string
			if err != nil {
				out = err.Error()
			} else {
				out = string(got.YAML())
			}
			if !strings.Contains(out, c.want) || !strings.Contains(out, c.note) || strings.Contains(out, "geheim") {
				t.Errorf("%s\nwant %s\nand  %s", out, c.want, c.note)
			}
		})
	}
}
