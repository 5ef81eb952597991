package foreign

import (
	"testing"

	"github.com/codebot-ls/codebot-ls/session/lang/langtest"
)

func TestEveryTextIsTranslated(t *testing.T) { langtest.Check(t, zh, "texts.go") }
