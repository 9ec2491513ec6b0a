package recode

import (
	"testing"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

func TestMain(m *testing.M) { queuetest.Main(m) }
