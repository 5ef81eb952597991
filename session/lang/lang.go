// Package lang gives every text a person reads in that person's language. It works
// like gettext: the English text is written where it is used and is the key under
// which a package keeps its translations, so that a reader of the code sees what is
// said, and a text that lacks its translation is still said, in English.
//
// A language belongs to one connection or one command and travels with it; nothing
// here is a setting of the process. Logs and what only a model reads stay English.
package lang

import (
	"fmt"
	"strings"
)

// Lang is a language that texts exist in. The zero value is English.
type Lang string

// The languages.
const (
	En   Lang = ""
	ZhCN Lang = "zh-cn" // Chinese in simplified characters
)

// Catalog holds a package's texts in Simplified Chinese by their English, formats
// as well as plain texts. package langtest checks that one is complete.
type Catalog map[string]string

// Of returns the language for a locale in any of the usual notations: that of LSP's
// initialize ("zh-cn"), BCP 47 ("zh-Hans-SG"), POSIX ("zh_CN.UTF-8").
//
// Who reads traditional characters gets English, as CLDR's fall-back has it:
// zh-Hant does not lead to zh-Hans.
func Of(locale string) Lang {
	locale, _, _ = strings.Cut(locale, ".")
	locale, _, _ = strings.Cut(locale, "@")
	subtags := strings.Split(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(locale)), "_", "-"), "-")
	if subtags[0] != "zh" {
		return En
	}
	for _, s := range subtags[1:] {
		switch s {
		case "hans", "cn", "sg", "my":
			return ZhCN
		case "hant", "tw", "hk", "mo":
			return En
		}
	}
	return ZhCN
}

// OfEnvironment returns the language that the environment asks messages to be in:
// the first of LC_ALL, LC_MESSAGES and LANG that is not empty (POSIX 8.2).
func OfEnvironment(getenv func(string) string) Lang {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if value := getenv(name); value != "" {
			return Of(value)
		}
	}
	return En
}

// Text returns the text that is s in English.
func (l Lang) Text(c Catalog, s string) string {
	if l == ZhCN {
		if t, ok := c[s]; ok {
			return t
		}
	}
	return s
}

// Sprintf is fmt.Sprintf with the text that is format in English. An argument that
// speaks several languages, such as a [Message] or an error, is given in l too.
func (l Lang) Sprintf(c Catalog, format string, args ...any) string {
	if false {
		_ = fmt.Sprintf(format, args...) // lets go vet compare the English with its arguments
	}
	return fmt.Sprintf(l.Text(c, format), l.each(args)...)
}

// each returns args in the language, args itself where nothing is to be done.
func (l Lang) each(args []any) []any {
	if l == En {
		return args
	}
	out := append([]any(nil), args...)
	for i, a := range out {
		switch a := a.(type) {
		case speaker:
			out[i] = a.In(l)
		case error:
			out[i] = l.Error(a)
		}
	}
	return out
}

// speaker is what can be said in several languages.
type speaker interface{ In(l Lang) string }

// Message is a text whose language is not known yet where it is made. The zero
// value is the empty text.
type Message struct {
	catalog Catalog
	format  string
	args    []any
}

// Messagef makes the message that is format, filled with args, in English.
func Messagef(c Catalog, format string, args ...any) Message {
	if false {
		_ = fmt.Sprintf(format, args...) // as in Sprintf
	}
	return Message{c, format, args}
}

// MessageOf makes the message that is the text s in English; a % in it is no verb.
func MessageOf(c Catalog, s string) Message { return Message{catalog: c, format: s} }

// In returns the message in a language.
func (m Message) In(l Lang) string {
	if len(m.args) == 0 {
		return l.Text(m.catalog, m.format)
	}
	return l.Sprintf(m.catalog, m.format, m.args...)
}

// String is the message in English.
func (m Message) String() string { return m.In(En) }

// IsZero reports whether there is no text.
func (m Message) IsZero() bool { return m.format == "" }

// Plain makes the message that is s in every language: a name, a foreign text.
func Plain(s string) Message { return Message{format: s} }
