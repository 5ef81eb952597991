package lang

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// failure is an error with a text in several languages.
type failure struct {
	Message
	english error // has the text in English and wraps what is wrapped
}

// Errorf is fmt.Errorf, %w included, for an error that a person reads: its Error is
// English and [Lang.Error] has it in a language. Without args the text is taken as
// it stands.
func Errorf(c Catalog, format string, args ...any) error {
	if len(args) == 0 {
		return &failure{MessageOf(c, format), errors.New(format)}
	}
	return &failure{Message{c, format, args}, fmt.Errorf(format, args...)}
}

func (f *failure) Error() string { return f.english.Error() }
func (f *failure) Unwrap() error { return f.english }

var wrapVerb = regexp.MustCompile(`%(\[\d+\])?w`)

// In returns the text in a language.
func (f *failure) In(l Lang) string {
	if l == En || len(f.args) == 0 {
		return f.Message.In(l)
	}
	return fmt.Sprintf(wrapVerb.ReplaceAllString(l.Text(f.catalog, f.format), "%${1}v"), l.each(f.args)...)
}

// Error returns the text of err in the language, as far as it has one: also where
// fmt.Errorf put something around it, and where errors.Join made it one of
// several. nil has no text.
func (l Lang) Error(err error) string {
	if err == nil {
		return ""
	}
	if l == En {
		return err.Error()
	}
	if s, ok := err.(speaker); ok {
		return s.In(l)
	}
	switch wrapper := err.(type) {
	case interface{ Unwrap() []error }:
		parts := wrapper.Unwrap()
		english, translated := make([]string, len(parts)), make([]string, len(parts))
		for i, p := range parts {
			english[i], translated[i] = p.Error(), l.Error(p)
		}
		if err.Error() == strings.Join(english, "\n") {
			return strings.Join(translated, "\n")
		}
	case interface{ Unwrap() error }:
		if inner := wrapper.Unwrap(); inner != nil && inner.Error() != "" {
			return strings.Replace(err.Error(), inner.Error(), l.Error(inner), 1)
		}
	}
	return err.Error()
}
