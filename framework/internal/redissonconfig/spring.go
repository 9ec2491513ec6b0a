package redissonconfig

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/duequeue/duequeue/framework/fault"
)

func springOf(ast.Node) ast.Node { return nil }

func (r *reader) spring(ast.Node) {}

func (r *reader) pick(docs []ast.Node) (ast.Node, *fault.ConfigError) { return docs[0], nil }
