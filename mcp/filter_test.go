package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// filtered runs text through a filter.
func filtered(t testing.TB, text string) (out, noise string, refused int, err error) {
	t.Helper()
	var log strings.Builder
	f := newLineFilter(strings.NewReader(text),
		func(_, text string) { log.WriteString(text + "\n") },
		func() { refused++ },
		func(method string, _ json.RawMessage) bool { return method == "notifications/tools/list_changed" })
	r, ended := filterStream(f, io.NopCloser(nil))
	data, err := io.ReadAll(r)
	<-ended
	return string(data), log.String(), refused, err
}

// Only what the SDK can decode reaches it, one message a line (go-sdk#1209).
func TestFilterPassesMessagesOnly(t *testing.T) {
	good := `{"jsonrpc":"2.0","id":1,"result":{}}`
	for name, tt := range map[string]struct{ in, out string }{
		"a message":                  {good + "\n", good + "\n"},
		"without its line end":       {good, good + "\n"},
		"with CRLF":                  {good + "\r\n", good + "\n"},
		"after a BOM":                {"\ufeff" + good + "\n", good + "\n"},
		"indented":                   {"  " + good + "\n", good + "\n"},
		"text":                       {"Server running\n" + good + "\n", good + "\n"},
		"a JSON log line":            {`{"level":"info"}` + "\n", ""},
		"null, a list, a number":     {"null\n[]\n5\n", ""},
		"version 1":                  {`{"jsonrpc":"1.0","id":1,"result":{}}` + "\n", ""},
		"half a message":             {`{"jsonrpc":"2.0","id":1,` + "\n" + good + "\n", good + "\n"},
		"an id of another kind":      {`{"jsonrpc":"2.0","id":{},"result":{}}` + "\n", ""},
		"a method of another kind":   {`{"jsonrpc":"2.0","method":5}` + "\n", ""},
		"an answer to nobody":        {`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}` + "\n", ""},
		"a notice that is taken":     {`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n", ""},
		"a notice that is not taken": {`{"jsonrpc":"2.0","method":"notifications/x"}` + "\n", `{"jsonrpc":"2.0","method":"notifications/x"}` + "\n"},
		"an id as text":              {`{"jsonrpc":"2.0","id":"3","result":{}}` + "\n", `{"id":3,"jsonrpc":"2.0","result":{}}` + "\n"},
		"a request keeps its id":     {`{"jsonrpc":"2.0","id":"3","method":"ping"}` + "\n", `{"jsonrpc":"2.0","id":"3","method":"ping"}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			out, _, _, err := filtered(t, tt.in)
			if err != nil || out != tt.out {
				t.Errorf("got %q, %v", out, err)
			}
		})
	}
	// Somebody waits for these: they are failed answers, not noise.
	for _, in := range []string{
		`{"jsonrpc":"2.0","id":1,"error":"text"}`,
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat(`[`, 2000) + strings.Repeat(`]`, 2000) + `}`,
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat(`[`, 20_000) + strings.Repeat(`]`, 20_000) + `}`,
		`{"result":` + strings.Repeat(`{"a":`, 20_000) + `1` + strings.Repeat(`}`, 20_000) + `,"jsonrpc":"2.0","id":1}`,
	} {
		out, log, _, err := filtered(t, in)
		if err != nil || !strings.HasPrefix(out, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the answer cannot be read: `) || !strings.Contains(log, "not a message") {
			t.Errorf("%.60s: got %.300q, %v; log %.100s", in, out, err, log)
		}
	}
	if _, _, refused, _ := filtered(t, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`); refused != 1 {
		t.Errorf("an answer to nobody was reported %d times", refused)
	}
}

// A message above the bound becomes the failure of its request where the id can be
// seen, whatever else looks like an id in it; else the session ends (crush#3480).
func TestFilterBoundsALine(t *testing.T) {
	huge := strings.Repeat("x", maxLine)
	next := `{"jsonrpc":"2.0","id":9,"result":{}}` + "\n"
	for name, in := range map[string]string{
		"id first":              `{"jsonrpc":"2.0","id":7,"result":{"text":"` + huge + `","id":8}}`,
		"id last":               `{"result":{"id":8,"text":"` + huge + `"},"jsonrpc":"2.0","id":7}`,
		"id before the version": `{"result":{"text":"` + huge + `"},"id":7,"jsonrpc":"2.0"}`,
	} {
		t.Run(name, func(t *testing.T) {
			out, noise, _, err := filtered(t, in+"\n"+next)
			if err != nil || !strings.HasPrefix(out, `{"jsonrpc":"2.0","id":7,"error":`) || !strings.HasSuffix(out, next) {
				t.Errorf("got %.200q, %v", out, err)
			}
			if !strings.Contains(noise, "was dropped") {
				t.Errorf("the log says %q", noise)
			}
		})
	}
	_, _, _, err := filtered(t, `{"result":{"text":"`+huge+`","id":7}, "x":1}`+"\n"+next)
	if err != errUnknownAnswer { //nolint:errorlint // the reader's own error, as it is
		t.Errorf("err = %v", err)
	}
}

// One tool that cannot be decoded costs itself only (msgvault#626).
func TestRepairToolList(t *testing.T) {
	for name, tt := range map[string]struct{ in, out, dropped string }{
		"good":            {`{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`, ""},
		"hint as text":    {`{"tools":[{"name":"a"},{"name":"b","annotations":{"readOnlyHint":"true"}}]}`, `{"tools":[{"name":"a"}]}`, `"b"`},
		"name a number":   {`{"tools":[{"name":5},{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`, "tool 5"},
		"null":            {`{"tools":[null,{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`, "number 1"},
		"no name":         {`{"tools":[{"name":""}]}`, `{"tools":[]}`, "number 1"},
		"cursor a number": {`{"tools":[],"nextCursor":5}`, `{"tools":[]}`, "nextCursor"},
		"other keys stay": {`{"_meta":{"x":1},"nextCursor":"c","tools":[5]}`, `{"_meta":{"x":1},"nextCursor":"c","tools":[]}`, "number 1"},
		"a call's answer": {`{"content":[],"tools":[5]}`, `{"content":[],"tools":[5]}`, ""},
		"no list":         {`{"tools":{"name":"a"}}`, `{"tools":{"name":"a"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, dropped, changed := repairToolList(json.RawMessage(tt.in))
			if string(out) != tt.out || changed != (tt.in != tt.out) || !strings.Contains(strings.Join(dropped, ";"), tt.dropped) {
				t.Errorf("got %s, %v, %t", out, dropped, changed)
			}
		})
	}
}

// A list must not be kept by the SDK: it would answer the next listing from it.
func TestTimeToLiveIsTakenOut(t *testing.T) {
	out, _, _, err := filtered(t, `{"jsonrpc":"2.0","id":1,"result":{"ttlMs":60000,"prompts":[]}}`)
	if err != nil || strings.Contains(out, "ttlMs") || !strings.Contains(out, `"prompts":[]`) {
		t.Errorf("got %s, %v", out, err)
	}
}

// Whatever a server writes, the SDK gets lines it can decode.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		"", "x\n", `{"jsonrpc":"2.0","id":"3","result":{"tools":[{"name":5}],"ttlMs":1}}`, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}\n\n[]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out, _, _, err := filtered(t, in)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines([]byte(out)) {
			if _, err := jsonrpc.DecodeMessage(line); err != nil {
				t.Errorf("%q came of %q: %v", line, in, err)
			}
		}
	})
}

// A stream without line ends costs a bounded log, and its tail is its end.
func TestDrainBoundsWhatItKeeps(t *testing.T) {
	var kept tail
	var longest, pieces int
	drain(strings.NewReader(strings.Repeat("a", 1<<20)+"the end"), &kept, func(lines []string) {
		for _, l := range lines {
			longest = max(longest, len(l))
			pieces++
		}
	})
	if longest > maxLogText || pieces < 1<<20/maxLogText {
		t.Errorf("%d pieces, the longest has %d bytes", pieces, longest)
	}
	if got := kept.text(); !strings.HasSuffix(got, "athe end") || len(got) > tailBytes {
		t.Errorf("the tail has %d bytes", len(got))
	}
	var lines []string
	drain(strings.NewReader("a\nb\n\nc"), &kept, func(l []string) { lines = append(lines, l...) })
	if strings.Join(lines, "|") != "a|b||c" {
		t.Errorf("lines = %q", lines)
	}
}

// The newest lines are kept, in their order.
func TestLogKeepsTheNewest(t *testing.T) {
	var r logRing
	for i := range logCapacity + 7 {
		r.add(LogEntry{Text: strings.Repeat("x", i%3) + string(rune('a'+i%26))})
	}
	all := r.last(0)
	if len(all) != logCapacity {
		t.Fatalf("%d are kept", len(all))
	}
	if two := r.last(2); len(two) != 2 || two[0] != all[len(all)-2] || two[1] != all[len(all)-1] {
		t.Errorf("the last two are %v", two)
	}
}
