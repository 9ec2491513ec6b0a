// Command duequeue is for the people who run queues: it shows what is in them and what is
// wrong, and changes it. See "duequeue help".
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
