// Command clock prints, each time it reads a line, what time it is and how long it has
// run, in ms.
package main

import (
	"bufio"
	"fmt"
	"os"
	"time"
)

func main() {
	began := time.Now()
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		now := time.Now()
		fmt.Println(now.UnixMilli(), now.Sub(began).Milliseconds())
	}
}
