package delayed

import (
	"embed"

	"github.com/duequeue/duequeue/framework/internal/script"
)

//go:embed lua
var luaFiles embed.FS

var library = script.NewLibrary(luaFiles)
