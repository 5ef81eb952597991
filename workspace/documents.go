package workspace

import (
	"fmt"
	"path/filepath"
	"sync"
)

// Documents is the text of the documents open in the editor, saved or not, by
// absolute path. Safe for concurrent use; the zero value has none open.
type Documents struct {
	mu     sync.Mutex // guards what follows
	byPath map[string]*document
}

// document is one open document. real is its path with symbolic links resolved when
// it was opened: tools look for a file under that name.
type document struct {
	real    string
	version int32
	text    string
}

// Open adds a document. One that is open already is replaced.
func (d *Documents) Open(path string, version int32, text string) {
	path = filepath.Clean(path)
	doc := &document{real: resolveNew(path), version: version, text: text}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byPath == nil {
		d.byPath = make(map[string]*document)
	}
	d.byPath[path] = doc
}

// Change applies edits, in order, and takes over the version. It is an error when
// the document is not open.
func (d *Documents) Change(path string, version int32, edits []Edit) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc, ok := d.byPath[filepath.Clean(path)]
	if !ok {
		return fmt.Errorf("changing %s: the document is not open", path)
	}
	doc.text, doc.version = ApplyEdits(doc.text, edits), version
	return nil
}

// Close forgets a document: the file on disk counts again.
func (d *Documents) Close(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byPath, filepath.Clean(path))
}

// Text returns the text and version of an open document.
func (d *Documents) Text(path string) (text string, version int32, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc, ok := d.byPath[filepath.Clean(path)]; ok {
		return doc.text, doc.version, true
	}
	return "", 0, false
}

// Overlay returns the text that stands for the file at path while it is open in the
// editor, by whatever symbolic links it was opened or is asked for.
func (d *Documents) Overlay(path string) (string, bool) {
	o, ok := d.Find(path)
	return o.Text, ok
}

// Opened is a document as it is open in the editor.
type Opened struct {
	Path    string // by which it was opened
	Version int32
	Text    string
}

// Find returns the document that stands for the file at path, as [Documents.Overlay].
func (d *Documents) Find(path string) (Opened, bool) {
	if text, version, ok := d.Text(path); ok {
		return Opened{filepath.Clean(path), version, text}, true
	}
	d.mu.Lock()
	none := len(d.byPath) == 0
	d.mu.Unlock()
	if none {
		return Opened{}, false
	}
	real := resolveNew(filepath.Clean(path)) // reads the disk: not under the lock
	d.mu.Lock()
	defer d.mu.Unlock()
	for opened, doc := range d.byPath {
		if doc.real == real {
			return Opened{opened, doc.version, doc.text}, true
		}
	}
	return Opened{}, false
}

// Paths returns the paths of all open documents, sorted.
func (d *Documents) Paths() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return sortedKeys(d.byPath)
}

// resolveNew resolves the symbolic links of a path of which the last parts need not
// exist yet.
func resolveNew(path string) string {
	for dir, rest := path, ""; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return path
		}
		dir, rest = parent, filepath.Join(filepath.Base(dir), rest)
	}
}
