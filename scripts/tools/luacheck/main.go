// Command luacheck runs generated Lua modules and checks that each returns a
// table with a non-empty "methods" table, as the plug-in expects.
package main

import (
	"fmt"
	"os"

	lua "github.com/yuin/gopher-lua"
)

func main() {
	code := 0
	for _, file := range os.Args[1:] {
		n, err := check(file)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", file, err)
			code = 1
			continue
		}
		fmt.Printf("%s: %d methods\n", file, n)
	}
	os.Exit(code)
}

// check runs one file in an interpreter without any library and returns how many
// methods its module names.
func check(file string) (int, error) {
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	if err := l.DoFile(file); err != nil {
		return 0, err
	}
	module, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		return 0, fmt.Errorf("the module returns a %s, not a table", l.Get(-1).Type())
	}
	methods, ok := module.RawGetString("methods").(*lua.LTable)
	if !ok {
		return 0, fmt.Errorf("the module has no table called methods")
	}
	n := 0
	methods.ForEach(func(_, _ lua.LValue) { n++ })
	if n == 0 {
		return 0, fmt.Errorf("the methods table is empty")
	}
	return n, nil
}
