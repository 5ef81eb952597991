package server_test

import (
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }
