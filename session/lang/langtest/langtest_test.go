package langtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// recorder is a test that keeps what is reported of it.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

const texts = `package p

const (
	textGone = "%s is gone, " + "%d left"
	textBad = "bad"
)

// Only the model reads these.
//
//lang:untranslated the model's
const textModel = "tool error"

var other = 1
`

const code = `package p

func f() { _ = l.Sprintf(zh, "inline %s", 1); _ = l.Sprintf(zh, textBad); fmt.Sprintf("no %s", "business") }
`

// A check that forbids nothing would pass for ever.
func TestWhatIsWrongWithACatalogIsFound(t *testing.T) {
	for _, test := range []struct {
		name    string
		catalog lang.Catalog
		code    string
		want    string
	}{
		{"complete", lang.Catalog{"%s is gone, %d left": "剩 %[2]d 个，%[1]s 已不存在", "bad": "坏"}, "package p", ""},
		{"missing", lang.Catalog{"bad": "坏"}, "package p", "no translation"},
		{"other verbs", lang.Catalog{"%s is gone, %d left": "%s 已不存在", "bad": "坏"}, "package p", "verbs"},
		{"swapped verbs", lang.Catalog{"%s is gone, %d left": "剩 %d 个，%s 已不存在", "bad": "坏"}, "package p", "verbs"},
		{"not translated", lang.Catalog{"%s is gone, %d left": "%s，剩 %d 个", "bad": "bad"}, "package p", "not Chinese"},
		{"stale", lang.Catalog{"%s is gone, %d left": "%s 已不存在，剩 %d 个", "bad": "坏", "worse": "更坏"}, "package p", "nobody says"},
		{"a text in the code", lang.Catalog{"%s is gone, %d left": "%s 已不存在，剩 %d 个", "bad": "坏"}, code, "written here"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			for name, content := range map[string]string{"texts.go": texts, "code.go": test.code} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := &recorder{TB: t}
			Check(r, test.catalog, "texts.go")
			got := strings.Join(r.errors, "\n")
			if test.want == "" && got != "" || !strings.Contains(got, test.want) || test.want != "" && len(r.errors) != 1 {
				t.Errorf("reported %q, want %q", got, test.want)
			}
		})
	}
}
