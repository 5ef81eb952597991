//go:build unix

package server_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// desktop is a world as an editor has it that was started from a desktop: a short PATH,
// and a shell whose start-up file knows better. toolbox/mcpdocs is a server.
func desktop(t *testing.T, startup string, env ...string) *servertest.World {
	w := servertest.NewWorld(t)
	toolbox := filepath.Join(w.UserHome, "toolbox")
	demo := servertest.Demo("docs")
	script := fmt.Sprintf("#!/bin/sh\nexec '%s'\n", demo["command"])
	servertest.WriteFile(t, filepath.Join(toolbox, "mcpdocs"), script)
	if err := os.Chmod(filepath.Join(toolbox, "mcpdocs"), 0o755); err != nil {
		t.Fatal(err)
	}
	servertest.WriteFile(t, filepath.Join(w.UserHome, ".bash_profile"), startup)
	w.Env = append(append(w.Env, "PATH=/usr/bin:/bin", "SHELL=/bin/bash"), env...)
	demo["command"] = "mcpdocs"
	w.User(servertest.Servers(servertest.M{"docs": demo}))
	return w
}

// A server whose program only the user's shell finds starts all the same (servers#1332,
// Roo-Code#628); where nobody may ask the shell, or it has nothing to say, the row names
// the command and where it was looked for.
func TestAProgramThatOnlyTheUsersShellFindsStarts(t *testing.T) {
	finds := "echo hello\nexport PATH=\"$HOME/toolbox:$PATH\"\n"
	for name, tt := range map[string]struct {
		startup string
		env     []string
		state   wire.MCPState
	}{
		"found":          {finds, nil, wire.MCPConnected},
		"turned off":     {finds, []string{"CODEBOT_LOGIN_PATH=off"}, wire.MCPFailed},
		"nothing to say": {"", nil, wire.MCPFailed},
	} {
		t.Run(name, func(t *testing.T) {
			e := desktop(t, tt.startup, tt.env...).Start(servertest.Config{})
			row := e.AwaitState("docs", wire.MCPConnected, wire.MCPFailed)
			if row.State != tt.state {
				t.Fatalf("%s: %+v", row.State, row.Error)
			}
			if tt.state == wire.MCPFailed && (!strings.Contains(row.Error.Message, "mcpdocs") || !strings.Contains(row.Error.Message, "/usr/bin:/bin")) {
				t.Errorf("the row says %q", row.Error.Message)
			}
		})
	}
}
