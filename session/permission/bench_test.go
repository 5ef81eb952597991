package permission

import (
	"fmt"
	"path/filepath"
	"testing"
)

// A search asks for every file of a folder whether it may be shown. In a folder of 50 000
// files, mentions have a second for all of them.
func BenchmarkHides(b *testing.B) {
	home := b.TempDir()
	e := NewEngine(EngineOptions{Home: home, ConfigHome: filepath.Join(home, ".codebot")})
	root := Resolve(filepath.Join(home, "work"))
	paths := make([]string, 1000)
	for i := range paths {
		paths[i] = filepath.Join(root, "src", "part", fmt.Sprintf("file%d.go", i))
	}
	for i := 0; b.Loop(); i++ {
		if e.Hides(root, paths[i%len(paths)]) {
			b.Fatal("hidden")
		}
	}
}
