// Package partitiontable shows the partitions of a queue.
package partitiontable

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/duequeue/duequeue/framework/admin"
)

// Line is a line of JSON.
type Line struct {
	Queue    string `json:"queue"`
	Number   int    `json:"partition"`
	Name     string `json:"name"`
	Slot     int    `json:"slot"`
	Node     string `json:"node,omitempty"`
	Ready    int64  `json:"ready"`
	Delayed  int64  `json:"delayed"`
	InFlight int64  `json:"inFlight"`
	Dead     int64  `json:"dead"`
	Sessions int64  `json:"sessions"`
	State    string `json:"state"`
}

// Write writes the partitions of a queue as a table or, for programs, as lines of JSON. clean
// makes a name fit for a terminal.
func Write(w io.Writer, queue string, all []admin.Partition, asJSON bool, clean func(string) string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintf(table, "%s: %s\n", clean(queue), count(len(all)))
		fmt.Fprintln(table, "\tname\tslot\tnode\tready\tdelayed\tin flight\tdead\tprocesses\t")
	}
	for _, p := range all {
		state := "used"
		switch {
		case !p.Used && p.Empty():
			state = "may go"
		case !p.Used:
			state = "drains"
		}
		if asJSON {
			line := Line{queue, p.Number, p.Name, p.Slot, p.Node, p.Ready, p.Delayed, p.InFlight, p.Dead, p.Sessions, state}
			if err := json.NewEncoder(w).Encode(line); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(table, "%d\t%s\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n",
			p.Number, clean(p.Name), p.Slot, p.Node, p.Ready, p.Delayed, p.InFlight, p.Dead, p.Sessions, state)
	}
	if asJSON {
		return nil
	}
	return table.Flush()
}

func count(n int) string {
	if n == 1 {
		return "1 partition"
	}
	return fmt.Sprintf("%d partitions", n)
}
