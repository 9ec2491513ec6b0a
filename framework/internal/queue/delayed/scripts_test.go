package delayed

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// Each script is in the list of a role, or no rule grants its commands.
func TestScriptsAreListed(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, s := range slices.Concat(OfferScripts(), ServeScripts(), TellScripts(), OperateScripts()) {
		listed = append(listed, s.Name())
	}
	err := fs.WalkDir(luaFiles, "lua", func(path string, _ fs.DirEntry, err error) error {
		name, isLua := strings.CutSuffix(strings.TrimPrefix(path, "lua/"), ".lua")
		if isLua && !strings.HasPrefix(name, "fragments/") && !slices.Contains(listed, name) {
			t.Errorf("%s is in no list", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
