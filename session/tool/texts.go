package tool

// The texts a person reads, as keys of their translations: the labels of tools and
// the titles of calls.
const (
	textLabelBash  = "Run command"
	textLabelFetch = "Fetch page"
	textFetch      = "Fetch %s"
	textLabelEdit  = "Edit file"
	textLabelGlob  = "Find files"
	textLabelGrep  = "Search text"
	textLabelLs    = "List folder"
	textLabelRead  = "Read file"
	textLabelWrite = "Write file"

	textLabelOutput = "Read a command's output"
	textLabelStop   = "End a command"
	textOutput      = "Read on job %d `%s`"
	textStop        = "End job %d `%s`"
	textRunOn       = "Run `%s` in the background"

	textRun           = "Run `%s`"
	textEdit          = "Edit %s"
	textWrite         = "Write %s"
	textList          = "List %s"
	textFind          = "Find files %s"
	textFindIn        = "Find files %s in %s"
	textSearch        = "Search for %s"
	textSearchIn      = "Search for %s in %s"
	textSearchBelow   = "Search for %s below %s"
	textSearchInBelow = "Search for %s in %s below %s"
	textRead          = "Read %s"
	textReadLines     = "Read %s (%d-%d)"
	textReadFrom      = "Read %s (from %d)"
)
