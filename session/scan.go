package session

import (
	"bytes"
	"encoding/json"
)

// lineOf is how a line of a type begins: the type is the first member of an entry.
func lineOf(kind string) []byte { return []byte(`{"type":"` + kind + `"`) }

var (
	messageLine = lineOf(entryMessage)
	infoLines   = [][]byte{lineOf(entryHeader), lineOf(entryTitle), lineOf(entryMode), lineOf(entryModel)}
)

// scan reads of a journal's bytes what a list shows. Messages, which are nearly all of
// it, are counted and not decoded. It reports false where parse would fail.
func scan(data []byte) (Info, bool) {
	var info Info
	first := true
	for line := range bytes.Lines(data[:bytes.LastIndexByte(data, '\n')+1]) {
		if first {
			var e entry
			if json.Unmarshal(line, &e) != nil || e.Type != entryHeader || !e.readable() {
				return info, false
			}
			info = Info{ID: e.ID, Cwd: e.Cwd, Model: e.Model, Mode: e.Mode, Created: e.Time}
			first = false
			continue
		}
		if bytes.HasPrefix(line, messageLine) {
			info.Messages++
			continue
		}
		for _, prefix := range infoLines {
			if !bytes.HasPrefix(line, prefix) {
				continue
			}
			var e entry
			if json.Unmarshal(line, &e) != nil {
				continue
			}
			switch e.Type {
			case entryTitle:
				info.Title = e.Title
			case entryMode:
				info.Mode = e.Mode
			case entryModel:
				info.Model = e.Model
			}
		}
	}
	return info, !first
}
