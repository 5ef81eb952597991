package endpoint

// What a model reads in place of content that it cannot be given.
const (
	NoteNoOutput   = "(no output)"
	noteImage      = "[an image (%s, %d bytes) that cannot be shown to the model: only JPEG, PNG, GIF and WebP up to %d MB are]"
	noteAudio      = "[audio (%s, %d bytes): not supported by this model]"
	noteBlob       = "[a binary resource %s (%s, %d bytes): not shown]"
	noteImagePlain = "[an image (%s, %d bytes)]"
)
