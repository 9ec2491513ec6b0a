package lease

import (
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

func TestMain(m *testing.M) { lab.Main(m) }
