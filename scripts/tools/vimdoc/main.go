// Command vimdoc writes the reference sections of the Neovim plug-in's help, by the
// plug-in's own scripts/help.lua: vimdoc DIR. It needs no Neovim.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	lua "github.com/yuin/gopher-lua"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: vimdoc PLUGIN_DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes doc/codebot.txt of the plug-in in dir.
func run(dir string) error {
	l := lua.NewState()
	defer l.Close()
	dir = filepath.ToSlash(dir)
	if err := l.DoString(fmt.Sprintf("package.path = %q .. '/lua/?.lua;' .. %q .. '/lua/?/init.lua'", dir, dir)); err != nil {
		return err
	}
	if err := l.DoFile(dir + "/scripts/help.lua"); err != nil {
		return err
	}
	module, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		return fmt.Errorf("scripts/help.lua returns a %s, not a table", l.Get(-1).Type())
	}
	return l.CallByParam(lua.P{Fn: module.RawGetString("write"), NRet: 0, Protect: true}, lua.LString(dir))
}
