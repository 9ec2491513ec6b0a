package memory

// maxBoxes bounds how many strings share memory, header by header.
const maxBoxes = 8

// Boxes makes values of type any of strings, which share the memory of their headers: room for two
// first, then for twice as many each time. The zero value is ready to use, and lets go of what it made.
type Boxes struct {
	texts []string
	used  int
}

// Box returns s as an any.
func (b *Boxes) Box(s string) any {
	if b.used == len(b.texts) {
		b.texts, b.used = make([]string, min(max(2, 2*len(b.texts)), maxBoxes)), 0
	}
	to := &b.texts[b.used]
	b.used++
	*to = s
	return TextBox(to)
}
