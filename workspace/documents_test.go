package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDocuments(t *testing.T) {
	var d Documents
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := d.Change(path, 2, nil); err == nil {
		t.Error("a document that is not open was changed")
	}
	d.Open(path, 1, "hello")
	if err := d.Change(path, 2, []Edit{{at(0, 0, 0, 1), "J"}}); err != nil {
		t.Error(err)
	}
	if text, version, ok := d.Text(filepath.Dir(path) + "/./a.txt"); text != "Jello" || version != 2 || !ok {
		t.Errorf("Text = %q, %d, %v", text, version, ok)
	}
	if text, ok := d.Overlay(path); text != "Jello" || !ok {
		t.Errorf("Overlay = %q, %v", text, ok)
	}
	d.Close(path)
	if _, ok := d.Overlay(path); ok {
		t.Error("a closed document still stands for its file")
	}
}

// A tool asks for the resolved path of a file, an editor may have opened it through
// a link (or the other way round), also before it is on disk.
func TestOverlayThroughSymlink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, c := range []struct{ opened, asked string }{{link, real}, {real, link}} {
		var d Documents
		d.Open(filepath.Join(c.opened, "new", "a.go"), 1, "x")
		if text, ok := d.Overlay(filepath.Join(c.asked, "new", "a.go")); !ok || text != "x" {
			t.Errorf("opened in %s, asked in %s: %q, %v", c.opened, c.asked, text, ok)
		}
		if _, ok := d.Overlay(filepath.Join(c.asked, "new", "b.go")); ok {
			t.Error("another file has the text")
		}
	}
}
