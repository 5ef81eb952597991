// Package command reads slash commands: what a prompt that begins with "/name" means,
// and the commands that people keep as Markdown files.
package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds one command file, in bytes.
const maxFile = 256 << 10

// File is a command of a Markdown file.
type File struct {
	// Name is that of the file, without ".md"; in a folder below, with its name and a
	// colon before it.
	Name, Path string
	// Description and Hint are "description" and "argument-hint" of the front matter;
	// without the first it is the first line of the text.
	Description, Hint string
	// Template is the text after the front matter.
	Template string
}

// name is what can stand behind the slash: no second slash, so that a path is not taken
// for a command.
var name = regexp.MustCompile(`^/([\pL\pN_][\pL\pN_.:-]*)(?:\s+|$)`)

// Parse takes a prompt apart that begins with "/name". input is what follows, without the
// space around it.
func Parse(text string) (command, input string, ok bool) {
	m := name.FindStringSubmatchIndex(text)
	if m == nil {
		return "", "", false
	}
	return text[m[2]:m[3]], strings.TrimSpace(text[m[1]:]), true
}

// Load reads the commands in a folder and one level of folders below it, by name. A
// folder that is not there has none. What cannot be read is in problems, and the others
// are there all the same.
func Load(dir string) (files []File, problems []error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
		return nil, problems
	}
	defer func() { _ = root.Close() }()
	for _, pattern := range []string{"*.md", "*/*.md"} {
		names, err := fs.Glob(root.FS(), pattern)
		if err != nil {
			problems = append(problems, err)
		}
		for _, rel := range names {
			file, err := read(root, rel)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", filepath.Join(dir, rel), err))
				continue
			}
			file.Path = filepath.Join(dir, filepath.FromSlash(rel))
			files = append(files, file)
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, problems
}

// read reads one file; the root lets no link lead out of the folder.
func read(root *os.Root, rel string) (File, error) {
	file := File{Name: strings.ReplaceAll(strings.TrimSuffix(rel, ".md"), "/", ":")}
	if command, _, ok := Parse("/" + file.Name); !ok || command != file.Name {
		return file, errors.New("its name cannot be typed: use letters, digits, - and _")
	}
	info, err := root.Stat(rel)
	if err != nil {
		return file, err
	}
	if !info.Mode().IsRegular() {
		return file, errors.New("it is no regular file")
	}
	f, err := root.Open(rel)
	if err != nil {
		return file, err
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return file, err
	}
	if len(raw) > maxFile {
		return file, fmt.Errorf("it is larger than %d kB", maxFile>>10)
	}
	return file, file.parse(strings.ToValidUTF8(strings.TrimPrefix(string(raw), "\uFEFF"), "\uFFFD"))
}

// parse takes a file's text apart.
func (f *File) parse(text string) error {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		matter, body, ok := strings.Cut("\n"+rest, "\n---\n")
		if !ok {
			if matter, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
				return errors.New("its front matter has no end: a line of --- is missing")
			}
		}
		var front struct {
			Description string `yaml:"description"`
			Hint        any    `yaml:"argument-hint"`
		}
		if err := yaml.Unmarshal([]byte(matter), &front); err != nil {
			return fmt.Errorf("its front matter: %w", err)
		}
		f.Description = strings.TrimSpace(front.Description)
		switch hint := front.Hint.(type) {
		case nil:
		case []any: // [path], which is a list to YAML
			f.Hint = fmt.Sprint(hint)
		default:
			f.Hint = fmt.Sprint(hint)
		}
		text = body
	}
	f.Template = strings.TrimSpace(text)
	if f.Template == "" {
		return errors.New("it has no text")
	}
	if f.Description == "" {
		line, _, _ := strings.Cut(f.Template, "\n")
		f.Description = strings.TrimSpace(strings.TrimLeft(line, "# "))
	}
	return nil
}

// place stands for input in a template: $ARGUMENTS is all of it, $1 to $9 its words.
var place = regexp.MustCompile(`\$(ARGUMENTS|[1-9])\b`)

// Expand fills the template. Input that the template has no place for goes behind it, so
// that nothing a person typed is lost.
func (f File) Expand(input string) string {
	words := Words(input)
	used := false
	text := place.ReplaceAllStringFunc(f.Template, func(at string) string {
		used = true
		if at == "$ARGUMENTS" {
			return input
		}
		n, _ := strconv.Atoi(at[1:])
		if n > len(words) {
			return ""
		}
		return words[n-1]
	})
	if !used && input != "" {
		text += "\n\n" + input
	}
	return text
}

// Words splits input at spaces. Quotes hold a word together at its beginning or behind
// its "=", so that an apostrophe is one; a quote without an end is a letter.
func Words(input string) []string {
	var words []string
	for {
		input = strings.TrimLeft(input, " \t\r\n")
		if input == "" {
			return words
		}
		var word string
		word, input = first(input)
		words = append(words, word)
	}
}

func first(input string) (word, rest string) {
	for i, r := range input {
		switch {
		case strings.ContainsRune(" \t\r\n", r):
			return input[:i], input[i:]
		case (r == '"' || r == '\'') && (i == 0 || input[i-1] == '='):
			if end := strings.IndexRune(input[i+1:], r); end >= 0 {
				return input[:i] + input[i+1:i+1+end], input[i+1+end+1:]
			}
		}
	}
	return input, ""
}

// Arguments gives the words of input to named arguments, in their order; name=value means
// one of them. The last one takes what is left.
func Arguments(names []string, input string) map[string]string {
	given := map[string]string{}
	var plain []string
	for _, word := range Words(input) {
		if key, value, ok := strings.Cut(word, "="); ok && slices.Contains(names, key) {
			given[key] = value
			continue
		}
		plain = append(plain, word)
	}
	var open []string
	for _, n := range names {
		if _, ok := given[n]; !ok {
			open = append(open, n)
		}
	}
	for i, n := range open {
		switch {
		case i >= len(plain):
			return given
		case i == len(open)-1:
			given[n] = strings.Join(plain[i:], " ")
		default:
			given[n] = plain[i]
		}
	}
	return given
}
