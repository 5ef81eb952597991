package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// Applied says what became of an edit that the editor was asked to make.
type Applied int

// What becomes of it.
const (
	NotOpen  Applied = iota // nothing: the file is not open there, or the editor cannot
	InBuffer                // the editor shows it, the disk does not have it yet
	Saved                   // the editor shows it and has written the file
)

// edited tells the session what an edit is about to make of a file, so that it can be
// taken back; before is nil for a file that is not there. An edit that cannot be kept is
// not made.
func (w *world) edited(path string, before *string, after string) error {
	if w.Edited == nil {
		return nil
	}
	return w.Edited(path, before, after)
}

// change is what an edit has made of a file.
type change struct {
	text    string // of the file, as the session goes on with it
	unsaved bool   // what was not saved in the editor went to the disk with it
	more    string // how the text differs from the one wanted, empty where it does not
}

// change makes old the text in a file, nil where there is no file: in the editor where
// that has it open, else on the disk. When it returns, the disk has it.
func (w *world) change(ctx context.Context, path string, old *string, open bool, text string) (change, error) {
	made := change{text: text, unsaved: open && w.unsaved(path)}
	before := old
	disk, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && (!open || strings.TrimSpace(*old) == ""):
		before = nil
	case open && err == nil && !made.unsaved:
		// The disk may have it in a form that the editor does not show.
		kept := string(disk)
		before = &kept
	}
	if err := w.edited(path, before, text); err != nil {
		return change{}, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return change{}, w.pathError(filepath.Dir(path), err)
	}
	applied := NotOpen
	if open && w.Apply != nil {
		if applied, err = w.Apply(ctx, path, *old, text); err != nil {
			if now, ok := w.Overlay(path); ok && now == *old && before != nil {
				// It was not made: what comes next does not begin with it.
				err = errors.Join(err, w.edited(path, &text, *before))
			}
			return change{}, err
		}
	}
	if applied == Saved {
		err := w.saved(path, &made)
		return made, err
	}
	if err := replaceFile(path, []byte(text)); err != nil {
		err = w.pathError(path, err)
		if applied == InBuffer {
			err = fmt.Errorf("%w; the editor shows the edit all the same, unsaved", err)
		}
		return change{}, err
	}
	w.seen.note(path, text)
	return made, nil
}

// saved looks at what an editor has saved. Whatever it did beyond the edit, as a
// formatter does, is a part of it.
func (w *world) saved(path string, c *change) error {
	disk, err := os.ReadFile(path)
	if err != nil {
		return w.pathError(path, err)
	}
	wanted, now := c.text, string(disk)
	if now != wanted {
		if err := w.edited(path, &wanted, now); err != nil {
			return err
		}
	}
	shown, open := w.Overlay(path)
	switch {
	case open && (SameText(shown, disk) || !utf8.Valid(disk)):
		now = shown
	case open && shown == wanted:
		// The disk alone was changed more.
		w.seen.note(path, shown)
		c.more = further(wanted, now)
		return nil
	}
	// Where the editor shows something else the user has typed on, which is to be read
	// before the next edit.
	w.seen.note(path, now)
	if !SameText(wanted, disk) {
		c.text, c.more = now, further(wanted, now)
	}
	return nil
}

// further is how a text was changed beyond what was wanted.
func further(wanted, now string) string {
	if now == wanted {
		return ""
	}
	return strings.TrimRight(udiff.Unified("edited", "saved", wanted, now), "\n")
}

// maxMore is how much is said of what an editor changed beyond an edit, in bytes.
const maxMore = 4000

// note says of an edit what the model could not know of it.
func (c change) note() string {
	var s string
	if c.unsaved {
		s = "; it is open in the editor, whose unsaved changes were written with it"
	}
	switch {
	case len(c.more) > maxMore:
		s += "\nSaving it in the editor changed much more of it, as a formatter does: read it again."
	case c.more != "":
		s += "\nSaving it in the editor changed more of it, as a formatter does:\n" + c.more
	}
	return s
}

func (w *world) unsaved(path string) bool { return w.Unsaved != nil && w.Unsaved(path) }

// SameText reports whether a disk holds the text that an editor shows, in the form that
// editors give it: with a byte order mark in front or a last line break behind, which
// they do not show.
func SameText(text string, disk []byte) bool {
	disk = bytes.TrimPrefix(disk, []byte(bom))
	text = strings.TrimPrefix(text, bom)
	return string(disk) == text || trimBreak(string(disk)) == text || trimBreak(text) == string(disk)
}

const bom = "\ufeff"

func trimBreak(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r") }

// ReplaceFile writes a file whole, as the tools do: nobody sees half of it, and a file
// that exists keeps its mode. path is absolute, with no link in it.
func ReplaceFile(path string, data []byte) error { return replaceFile(path, data) }
