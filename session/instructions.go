package session

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of what instruction files may take of the prompt, in bytes.
const (
	maxInstructionFile = 32_000
	maxInstructions    = 96_000
)

// instructionFile is the name of the files that speak to coding agents
// (https://agents.md).
const instructionFile = "AGENTS.md"

const textInstructions = `These are standing instructions of the user and of the project. The user's words in the conversation go before them; a later section goes before an earlier one.`

// instructionsBlock is the second block of the system prompt: the user's own
// AGENTS.md, then those from the top of the repository down to cwd, then what the
// user's settings add. It is read once, when the session starts.
func instructionsBlock(cwd, home, extra string) string {
	parts := []string{textInstructions}
	left := maxInstructions
	add := func(title, text string) {
		text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
		if text == "" {
			return
		}
		if len(text) > left {
			text = strings.ToValidUTF8(text[:max(left, 0)], "") + "\n[cut: the instructions are too long]"
		}
		left -= len(text)
		parts = append(parts, "## "+title+"\n"+text)
	}
	if home != "" {
		add("The user's instructions", readInstructions(home, home))
	}
	top := repositoryRoot(cwd)
	for _, dir := range between(top, cwd) {
		add("Instructions of "+dir, readInstructions(top, dir))
	}
	add("The user's settings", extra)
	return strings.Join(parts, "\n\n")
}

// repositoryRoot is the nearest folder at or above dir that holds .git, else dir.
func repositoryRoot(dir string) string {
	for d := dir; ; {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return d
		}
		up := filepath.Dir(d)
		if up == d {
			return dir
		}
		d = up
	}
}

// between lists the folders from top down to dir, both included.
func between(top, dir string) []string {
	var dirs []string
	for d := dir; ; d = filepath.Dir(d) {
		dirs = append(dirs, d)
		if d == top || d == filepath.Dir(d) {
			slices.Reverse(dirs)
			return dirs
		}
	}
}

// readInstructions reads the instruction file of dir, empty when there is none. A
// link that leads out of top is not followed: a cloned project must not put a
// file of the user's into the prompt.
func readInstructions(top, dir string) string {
	root, err := os.OpenRoot(top)
	if err != nil {
		return ""
	}
	defer root.Close()
	rel, err := filepath.Rel(top, filepath.Join(dir, instructionFile))
	if err != nil {
		return ""
	}
	if st, err := root.Stat(rel); err != nil || !st.Mode().IsRegular() {
		return "" // a pipe would block us
	}
	f, err := root.Open(rel)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxInstructionFile+1))
	if err != nil {
		return ""
	}
	if len(b) > maxInstructionFile {
		return string(b[:maxInstructionFile]) + fmt.Sprintf("\n[cut after %d bytes]", maxInstructionFile)
	}
	return string(b)
}
