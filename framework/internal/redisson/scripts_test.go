package redisson

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// Each script stands in the list of those who need it, or its commands are granted to nobody.
func TestScriptsAreListed(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, s := range slices.Concat(OfferScripts(), ServeScripts(), OperateScripts()) {
		listed = append(listed, s.Name())
	}
	err := fs.WalkDir(luaFiles, "lua", func(path string, _ fs.DirEntry, err error) error {
		name, isLua := strings.CutSuffix(strings.TrimPrefix(path, "lua/"), ".lua")
		if isLua && !strings.HasPrefix(name, "fragments/") && name != "probe" && !slices.Contains(listed, name) {
			t.Errorf("%s stands in no list", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
