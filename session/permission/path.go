package permission

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Resolve returns the absolute path that p leads to: symlinks followed, also
// those that dangle, and what does not exist yet kept by name. It is how a tool
// finds the path that it shows to the gate and then opens, so that both mean the
// same file.
func Resolve(p string) string {
	abs, err := filepath.Abs(p)
	if err != nil {
		return filepath.Clean(p)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return resolve(abs, 0)
}

// maxLinks is how many dangling links are followed before a path is taken as it
// stands; Linux gives up at 40 as well.
const maxLinks = 40

func resolve(p string, links int) string {
	parent := filepath.Dir(p)
	if parent == p {
		return p
	}
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		parent = real
	} else {
		parent = resolve(parent, links)
	}
	p = filepath.Join(parent, filepath.Base(p))
	if links >= maxLinks {
		return p
	}
	target, err := os.Readlink(p)
	if err != nil {
		return p
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(parent, target)
	}
	target = filepath.Clean(target)
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) || err == nil {
		return resolve(target, links+1)
	}
	return target
}

// within returns p relative to dir, with slashes and "" for dir itself, and
// whether p is dir or below it. Both are resolved.
func within(dir, p string) (rel string, ok bool) {
	if dir == "" || p == "" {
		return "", false
	}
	if !foldsCase { // a search asks a million times, and both are clean
		rest, ok := strings.CutPrefix(p, dir)
		switch {
		case !ok:
			return "", false
		case rest == "":
			return "", true
		case os.IsPathSeparator(rest[0]):
			return filepath.ToSlash(rest[1:]), true
		case os.IsPathSeparator(dir[len(dir)-1]): // the root of all
			return filepath.ToSlash(rest), true
		}
		return "", false
	}
	rel, err := filepath.Rel(dir, p)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) || filepath.IsAbs(rel) {
		rel, err = filepath.Rel(strings.ToLower(dir), strings.ToLower(p))
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) || filepath.IsAbs(rel) {
			return "", false
		}
	}
	if rel == "." {
		return "", true
	}
	return filepath.ToSlash(rel), true
}

// Inside reports whether p is dir or below it. Both are resolved paths.
func Inside(dir, p string) bool {
	_, ok := within(dir, p)
	return ok
}

// protectedNames are folders whose files make programs run: ours, the editor's,
// git's hooks. To write there is to be asked for, in every mode.
var protectedNames = map[string]bool{".codebot": true, ".vscode": true, ".git": true,
	// What Windows calls them in short.
	"codebo~1": true, "vscode~1": true, "git~1": true}

// protectedWrite returns the name of the protected folder that the resolved path
// p is in, if any. All of p counts, not only what is below the session's folder:
// a session may have been opened inside such a folder.
func (e *Engine) protectedWrite(p string) (string, bool) {
	for seg := range strings.SplitSeq(filepath.ToSlash(p), "/") {
		if name := plainSegment(seg); protectedNames[name] {
			return name, true
		}
	}
	if e.configHome != "" && Inside(e.configHome, p) {
		return e.configHome, true
	}
	return "", false
}

// plainSegment is one name of a path with everything taken off that some file
// system ignores: case (macOS, Windows), characters that have no width (HFS+),
// dots and blanks at the end and streams (NTFS).
func plainSegment(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
	s, _, _ = strings.Cut(s, ":")
	return strings.TrimRight(s, " .")
}

// credentialDirs and credentialFiles are below the user's home.
var (
	credentialDirs  = []string{".ssh", ".aws", ".gnupg", ".kube", ".config/gcloud", ".config/gh", ".azure", ".docker", ".password-store"}
	credentialFiles = []string{".netrc", "_netrc", ".git-credentials", ".npmrc", ".pypirc"}
)

// credential returns the well-known name under which the resolved path p holds
// secrets, if it does: keys and logins in the user's home, .env files anywhere
// and our own folder.
func (e *Engine) credential(p string) (string, bool) {
	if e.configHome != "" && Inside(e.configHome, p) {
		return filepath.Base(e.configHome), true
	}
	base := plainSegment(filepath.Base(p))
	if base == ".env" || base == ".envrc" || strings.HasPrefix(base, ".env.") && !envTemplate[base] {
		return ".env", true
	}
	for _, place := range e.secrets.places() {
		if Inside(place.at, p) {
			return place.name, true
		}
	}
	return "", false
}

// secretPlace is a folder or file that holds secrets; name is what it is known by.
type secretPlace struct{ name, at string }

// secretsAge is how long it is not looked again whether a folder has become a link. A
// search asks for each file of a folder.
const secretsAge = time.Second

// secrets are the places of a home folder. It is safe for concurrent use.
type secrets struct {
	home string

	mu     sync.Mutex
	all    []secretPlace // guarded by mu
	looked time.Time     // guarded by mu
}

func (s *secrets) places() []secretPlace {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looked.IsZero() || time.Since(s.looked) > secretsAge {
		s.all, s.looked = secretPlaces(s.home), time.Now()
	}
	return s.all
}

// secretPlaces are those of a home folder. A dotfiles manager may have made one a link:
// then it is in both places.
func secretPlaces(home string) []secretPlace {
	if home == "" {
		return nil
	}
	var all []secretPlace
	for _, name := range slices.Concat(credentialDirs, credentialFiles) {
		at := filepath.Join(home, filepath.FromSlash(name))
		all = append(all, secretPlace{name, at})
		if real := Resolve(at); real != at {
			all = append(all, secretPlace{name, real})
		}
	}
	return all
}

// envTemplate are the .env files that are meant to be shared.
var envTemplate = map[string]bool{".env.example": true, ".env.sample": true, ".env.template": true, ".env.dist": true}
