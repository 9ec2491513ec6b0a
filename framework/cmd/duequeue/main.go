// Command duequeue is for the people who run queues: it shows what is in them and what is
// wrong, and changes it. See "duequeue help".
//
// root.go lists the commands. Those that change messages or steer processes are made of the table in
// package operations, which the console has as well: to add one, add it there.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
