package web

import (
	"crypto/rand"
	"sync"
)

// maxNotices bounds what waits to be shown.
const maxNotices = 200

// notices are what actions have done, for the page that follows. A link names one by a random
// text: no one can make a page say what others wrote.
type notices struct {
	mu    sync.Mutex
	texts map[string]string
}

func (n *notices) add(text string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.texts == nil || len(n.texts) >= maxNotices {
		n.texts = map[string]string{}
	}
	name := rand.Text()
	n.texts[name] = text
	return name
}

// take returns a notice, which stays for a reload.
func (n *notices) take(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.texts[name]
}
