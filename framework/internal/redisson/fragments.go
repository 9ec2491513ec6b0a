package redisson

import (
	"embed"
	"strings"
)

//go:embed lua/*.lua lua/fragments/*.lua
var luaFiles embed.FS

// Fragment returns the shared Lua of one or more files of lua/fragments, by name
// without ".lua". They are joined in the order given and go before a script's own
// source; which ones a fragment needs before it, its head says. An unknown name
// panics: it is a mistake in this module.
func Fragment(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(luaSource("lua/fragments/" + name + ".lua"))
	}
	return b.String()
}

// embedded returns one of this package's scripts with its fragments before it.
func embedded(name string, fragments ...string) *Script {
	return NewScript(name, Fragment(fragments...)+luaSource("lua/"+name+".lua"))
}

func luaSource(path string) string {
	src, err := luaFiles.ReadFile(path)
	if err != nil {
		panic("redisson: embedded Lua " + path + ": " + err.Error())
	}
	return string(src)
}
