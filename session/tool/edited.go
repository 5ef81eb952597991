package tool

// edited tells the session what an edit is about to make of a file, so that it can be
// taken back; before is nil for a file that is not there. An edit that cannot be kept is
// not made.
func (w *world) edited(path string, before *string, after string) error {
	if w.Edited == nil {
		return nil
	}
	return w.Edited(path, before, after)
}

// ReplaceFile writes a file whole, as the tools do: nobody sees half of it, and a file
// that exists keeps its mode. path is absolute, with no link in it.
func ReplaceFile(path string, data []byte) error { return replaceFile(path, data) }
