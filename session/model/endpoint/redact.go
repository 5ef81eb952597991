package endpoint

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codebot-ls/codebot-ls/session/secret"
)

// maxProviderText bounds what is shown of a provider's own words, in bytes.
const maxProviderText = 600

// keyLike finds what looks like a key even if it is not ours: providers quote the
// key they were given, half masked.
var keyLike = regexp.MustCompile(`(?i)\b(sk|pk|key|gsk|xai|hf|rk)[-_][A-Za-z0-9_*.\-]{8,}|\bAIza[A-Za-z0-9_\-]{10,}|\bBearer\s+\S+`)

// clean makes a provider's text fit to be shown: one line, no controls and no marks
// that turn the direction of text, no secrets, bounded.
func clean(text string, secrets []string) string {
	text = secret.New(slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < 4 })...).Text(text)
	text = keyLike.ReplaceAllString(text, "[redacted]")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxProviderText {
		text = strings.ToValidUTF8(text[:maxProviderText], "") + "..."
	}
	return text
}
