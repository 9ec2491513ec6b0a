package serve

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers/sqldb"
)

const outboxHelp = `
The outbox is a table in a service's own database: its offers are committed there
together with what they are about, and a relay sends them to Redis. See
framework/ONE-EFFECT.md.

This program has no drivers of databases. A relay is part of a service, or a program
of a few lines: examples/09-order-once.
`

const outboxSchemaHelp = `
Prints the SQL that creates the table, for a migration of the service. It changes
nothing where the table exists.
`

func outboxCommand(e *env.Env) *cli.Command {
	return e.Command(env.Spec{
		Name: "outbox", Short: "offers inside a database transaction", Group: env.GroupServe, Long: outboxHelp,
		Commands: []*cli.Command{outboxSchemaCommand(e)},
	})
}

// schemaLine is what it prints with -json.
type schemaLine struct {
	Schema string `json:"schema"`
}

func outboxSchemaCommand(e *env.Env) *cli.Command {
	dialect, table := "", outbox.DefaultTable
	return e.Command(env.Spec{
		Name: "schema", Short: "print the SQL that creates the table of an outbox", Long: outboxSchemaHelp, JSON: schemaLine{},
		Examples: []string{"duequeue outbox schema -dialect postgres", "duequeue outbox schema -dialect mysql -table shop.outbox"},
		Flags: []cli.Flag{
			env.String(&dialect, "dialect", "", "`NAME` of the database: postgres, mysql, mariadb or sqlite"),
			env.String(&table, "table", outbox.DefaultTable, "`NAME` of the table, with a schema before a dot if it has one"),
		},
		Run: func(_ context.Context, args []string) error {
			if len(args) > 0 {
				return env.Usagef("outbox schema takes no arguments")
			}
			d, err := sqldb.Parse(dialect)
			if err != nil {
				return env.Usagef("-dialect: %v", err)
			}
			text, err := outbox.Schema(d, table)
			if err != nil {
				return env.Usagef("-table: %v", err)
			}
			if e.JSON {
				return e.Line(schemaLine{text})
			}
			_, err = e.Stdout.Write([]byte(text))
			return err
		},
	})
}
