package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// neovims are the versions that the plug-in is tested in, with the Debian suite
// that has them: the oldest it promises to work in, and the newest there is.
var neovims = []struct{ version, suite string }{
	{"0.10.4", "trixie"},
	{"0.12.4", "forky"},
}

// neovim runs the tests of the plug-in in each Neovim, against the real server,
// and the checks of its code. They end by themselves; the bound is for a machine
// that hangs.
func neovim(ctx context.Context, m *machine) []row {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	server := m.cache("bin", "codebot-ls")
	if out, err := m.command(ctx, m.root, nil, "go", "build", "-trimpath", "-o", server, "./cmd/codebot-ls"); err != nil {
		fmt.Fprintf(m.out, "building codebot-ls: %v\n%s", err, tail(out, 20))
		return failed()
	}
	m.installDebs(ctx, "lua-check", "luacheck")
	m.installDebs(ctx, "tmux", "tmux")
	var rows []row
	ran := map[string]bool{}
	for _, n := range neovims {
		name := "neovim " + n.version
		program, version, err := m.privateNeovim(ctx, n.version, n.suite)
		if err != nil {
			fmt.Fprintf(m.out, "%s: %v\n", name, err)
			rows = append(rows, row{suite: name, skipped: 1, leftOut: "there is no Neovim " + n.version, get: "run as root on Debian or Ubuntu, or put it on PATH"})
			continue
		}
		ran[version] = true
		rows = append(rows, m.neovimTests(ctx, "neovim "+version, program, server))
	}
	// A person's own Neovim is worth a run where it is another one.
	own := find(ctx, "Neovim", "nvim", []string{"--version"}, "0.10", "install Neovim 0.10 or newer: https://neovim.io")
	if own.ok() && !ran[own.version] {
		rows = append(rows, m.neovimTests(ctx, "neovim "+own.version, "nvim", server))
	}
	rows = append(rows, m.luacheck(ctx), m.stylua(ctx))
	return append(rows, m.luals(ctx)...)
}

// installDebs installs a Debian package for a program that is not on PATH, where it may,
// as [machine.installPackages] does.
func (m *machine) installDebs(ctx context.Context, name, program string) {
	_, missing := exec.LookPath(program)
	apt, err := exec.LookPath("apt-get")
	if missing == nil || err != nil || runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return
	}
	fmt.Fprintln(m.out, "installing system packages:", name)
	install := func() error { return m.apt(ctx, apt, "install", "-y", "--no-install-recommends", name) }
	if install() == nil {
		return
	}
	// A fresh container has no package lists yet.
	if err := m.apt(ctx, apt, "update"); err != nil {
		fmt.Fprintf(m.out, "apt-get update: %v\n", err)
	}
	if err := install(); err != nil {
		fmt.Fprintf(m.out, "apt-get install: %v\n", err)
	}
}

// privateNeovim returns the Neovim of that version: the one on PATH when it is of
// that version, else a private copy below the cache, made where it is not there.
// The suite may have moved on to another version by then, which is returned.
func (m *machine) privateNeovim(ctx context.Context, version, suite string) (program, has string, err error) {
	if own := find(ctx, "Neovim", "nvim", []string{"--version"}, "", ""); own.ok() && own.version == version {
		return "nvim", version, nil
	}
	if runtime.GOOS != "linux" {
		return "", "", fmt.Errorf("a private Neovim is for Linux, this is %s", runtime.GOOS)
	}
	dir := m.cache("nvim-" + version)
	if !exists(filepath.Join(dir, "installed")) {
		fmt.Fprintf(m.out, "putting Neovim %s into %s\n", version, dir)
		script := filepath.Join(m.root, "scripts", "nvim.sh")
		if out, err := m.command(ctx, m.root, nil, "sh", script, suite, dir); err != nil {
			return "", "", fmt.Errorf("scripts/nvim.sh: %w\n%s", err, tail(out, 20))
		}
	}
	program = filepath.Join(dir, "bin", "nvim")
	t := find(ctx, "Neovim", program, []string{"--version"}, "", "")
	if !t.ok() {
		return "", "", fmt.Errorf("%s: %s", program, t.problem)
	}
	return program, t.version, nil
}

// neovimTests runs the tests in one Neovim and counts its cases.
func (m *machine) neovimTests(ctx context.Context, name, program, server string) row {
	begun := time.Now()
	script := filepath.Join(m.root, "editors", "nvim", "tests", "run.lua")
	out, err := m.command(ctx, m.root, []string{"CODEBOT_LS=" + server}, program, "-l", script)
	r := row{suite: name, ran: true, took: time.Since(begun)}
	for line := range bytes.Lines(out) {
		switch {
		case bytes.HasPrefix(line, []byte("ok ")):
			r.passed++
		case bytes.HasPrefix(line, []byte("not ok ")):
			r.failed++
		case bytes.HasPrefix(line, []byte("skip ")):
			r.skipped++
			_, why, _ := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
			if i := bytes.LastIndex(why, []byte(": ")); i >= 0 {
				why = why[i+2:]
			}
			r.leftOut, r.get = string(why), "install it with your package manager"
		}
	}
	if err != nil && r.failed == 0 || r.passed+r.failed == 0 {
		r.failed++ // it broke off
	}
	if r.failed > 0 {
		fmt.Fprintf(m.out, "%s\n%s: %v\n", tail(failures(out), 200), name, err)
	}
	return r
}

// failures is the output without the lines of what passed or was skipped.
func failures(out []byte) []byte {
	var rest []byte
	for line := range bytes.Lines(out) {
		if !bytes.HasPrefix(line, []byte("ok ")) && !bytes.HasPrefix(line, []byte("skip ")) {
			rest = append(rest, line...)
		}
	}
	return rest
}

// luacheck looks for mistakes in the plug-in's Lua.
func (m *machine) luacheck(ctx context.Context) row {
	r := row{suite: "neovim luacheck"}
	if _, err := exec.LookPath("luacheck"); err != nil {
		r.skipped, r.leftOut, r.get = 1, "luacheck is not on PATH", "install lua-check with your package manager"
		return r
	}
	begun := time.Now()
	out, err := m.command(ctx, filepath.Join(m.root, "editors", "nvim"), nil, "luacheck", "--no-color", "-q", ".")
	return m.checked(r, begun, out, err)
}

// luals checks the types of the plug-in's Lua with lua-language-server, where it is
// there: no package of a distribution or a registry has it, so without it nothing is
// left out that could be got.
func (m *machine) luals(ctx context.Context) []row {
	program, err := exec.LookPath("lua-language-server")
	if err != nil {
		fmt.Fprintln(m.out, "lua-language-server is not on PATH: the types of the plug-in's Lua are not checked")
		return nil
	}
	script := filepath.Join(m.root, "editors", "nvim", "tests", "luals.lua")
	begun := time.Now()
	nvim := "nvim"
	if _, err := exec.LookPath(nvim); err != nil {
		nvim = filepath.Join(m.cache("nvim-"+neovims[len(neovims)-1].version), "bin", "nvim")
	}
	out, err := m.command(ctx, m.root, nil, nvim, "-l", script, program)
	return []row{m.checked(row{suite: "neovim luals"}, begun, out, err)}
}

// stylua checks the format of the plug-in's Lua.
func (m *machine) stylua(ctx context.Context) row {
	r := row{suite: "neovim stylua"}
	if !m.node.ok() {
		r.skipped, r.leftOut, r.get = 1, m.node.problem, m.node.get
		return r
	}
	plugin := filepath.Join(m.root, "editors", "nvim")
	dir, err := m.npmInstall(ctx, "stylua", filepath.Join(plugin, "tests", "stylua"))
	if err != nil {
		fmt.Fprintln(m.out, err)
		r.skipped, r.leftOut, r.get = 1, "npm ci failed", "let npm reach its registry"
		return r
	}
	begun := time.Now()
	args := []string{filepath.Join(plugin, "tests", "stylua", "stylua.cjs"), "--check", filepath.Join(dir, "node_modules")}
	err = filepath.WalkDir(plugin, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".lua" && !strings.HasSuffix(path, "_gen.lua") {
			args = append(args, path)
		}
		return err
	})
	if err != nil {
		return m.checked(r, begun, nil, err)
	}
	out, err := m.command(ctx, m.root, nil, "node", args...)
	return m.checked(r, begun, out, err)
}

func (m *machine) checked(r row, begun time.Time, out []byte, err error) row {
	r.ran, r.took = true, time.Since(begun)
	if err != nil {
		fmt.Fprintf(m.out, "%s\n%s: %v\n", tail(out, 60), r.suite, err)
		r.failed = 1
	} else {
		r.passed = 1
	}
	return r
}
