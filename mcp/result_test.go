package mcp

import (
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"image/png"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// answered decodes a result as the SDK's client does.
func answered(t *testing.T, body string) *sdk.CallToolResult {
	t.Helper()
	var res sdk.CallToolResult
	if err := json.Unmarshal([]byte(body), &res); err != nil {
		t.Fatal(err)
	}
	return &res
}

// A model saw nothing of a result with only structured content, only a link, or
// nothing at all (ggml-org/llama.cpp#26410, olimorris/codecompanion.nvim#2851).
func TestResultIsNeverEmpty(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want agent.Result
	}{
		"texts":                     {`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, agent.Result{Content: []agent.Content{agent.Text("a\nb")}}},
		"only structured":           {`{"content":[],"structuredContent":{"a":1}}`, agent.Result{Content: []agent.Content{agent.Text(`{"a":1}`)}, Raw: json.RawMessage(`{"a":1}`)}},
		"only structured, an array": {`{"content":[],"structuredContent":["<&>"]}`, agent.Result{Content: []agent.Content{agent.Text(`["<&>"]`)}, Raw: json.RawMessage(`["<&>"]`)}},
		"structured beside text":    {`{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":1}}`, agent.Result{Content: []agent.Content{agent.Text("a")}, Raw: json.RawMessage(`{"a":1}`)}},
		"null content":              {`{"content":null}`, agent.Result{Content: []agent.Content{agent.Text("(no output)")}}},
		"no content at all":         {`{}`, agent.Result{Content: []agent.Content{agent.Text("(no output)")}}},
		"empty text":                {`{"content":[{"type":"text","text":""}]}`, agent.Result{Content: []agent.Content{agent.Text("(no output)")}}},
		"only a link": {`{"content":[{"type":"resource_link","uri":"file:///x","name":"x","title":"The x","mimeType":"text/plain"}]}`,
			agent.Result{Content: []agent.Content{{Kind: agent.ContentLink, URI: "file:///x", Name: "The x", MIME: "text/plain"}}}},
		"an embedded text": {`{"content":[{"type":"resource","resource":{"uri":"file:///x","mimeType":"text/plain","text":"body"}}]}`,
			agent.Result{Content: []agent.Content{{Kind: agent.ContentResource, URI: "file:///x", MIME: "text/plain", Text: "body"}}}},
		"an embedded blob": {`{"content":[{"type":"resource","resource":{"uri":"file:///x","mimeType":"application/zip","blob":"AAEC"}}]}`,
			agent.Result{Content: []agent.Content{agent.Text("[resource file:///x of type application/zip, 3 B]"),
				{Kind: agent.ContentResource, URI: "file:///x", MIME: "application/zip", Data: []byte{0, 1, 2}}}}},
		"an empty resource": {`{"content":[{"type":"resource","resource":{"uri":"file:///x"}}]}`, agent.Result{Content: []agent.Content{agent.Text("[resource without contents]")}}},
		"audio": {`{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAEC"}]}`,
			agent.Result{Content: []agent.Content{agent.Text("[audio of type audio/wav, 3 B]"), {Kind: agent.ContentAudio, MIME: "audio/wav", Data: []byte{0, 1, 2}}}}},
		"audio without data": {`{"content":[{"type":"audio","mimeType":"audio/wav","data":""}]}`, agent.Result{Content: []agent.Content{agent.Text("[audio without data]")}}},
		"content of sampling": {`{"content":[{"type":"tool_use","id":"1","name":"x","input":{}}]}`,
			agent.Result{Content: []agent.Content{agent.Text("[content of a kind that tools cannot return, left out]")}}},
		"a failure":                 {`{"isError":true,"content":[{"type":"text","text":"no such issue"},{"type":"text","text":"try 7"}]}`, agent.Result{IsError: true, Content: []agent.Content{agent.Text("tool error: no such issue\ntry 7")}}},
		"a failure without content": {`{"isError":true,"content":[]}`, agent.Result{IsError: true, Content: []agent.Content{agent.Text("tool error: the tool failed and gave no text")}}},
		"a failure in structure":    {`{"isError":true,"content":[],"structuredContent":{"code":7}}`, agent.Result{IsError: true, Content: []agent.Content{agent.Text(`tool error: {"code":7}`)}, Raw: json.RawMessage(`{"code":7}`)}},
		"a failure with a link": {`{"isError":true,"content":[{"type":"resource_link","uri":"file:///log","name":"log"}]}`,
			agent.Result{IsError: true, Content: []agent.Content{agent.Text("tool error: the tool failed and gave no text"), {Kind: agent.ContentLink, URI: "file:///log", Name: "log"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ResultOf(answered(t, tc.body)); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
	if got := ResultOf(nil); !says(got.Content) {
		t.Error("no result at all became an empty one")
	}
}

// One image of a wrong or unknown type made every later request fail
// (microsoft/vscode#311732, anthropics/claude-code#58330, #12009).
func TestImagesThatAModelWouldRefuseBecomeNotes(t *testing.T) {
	huge := pngOf(t, 8001, 1)
	heavy := append(pngOf(t, 2, 2), make([]byte, maxImageBytes)...)
	for name, tc := range map[string]struct {
		mime string
		data []byte
		want string // the MIME type when it is kept, else part of the note
		kept bool
	}{
		"a PNG":             {"image/png", pngOf(t, 2, 2), "image/png", true},
		"a JPEG called PNG": {"image/png", jpegOf(t), "image/jpeg", true},
		"without a type":    {"", jpegOf(t), "image/jpeg", true},
		"WebP":              {"image/webp", []byte("RIFF\x04\x00\x00\x00WEBPVP8 "), "image/webp", true},
		"SVG":               {"image/svg+xml", []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "[image of type image/svg+xml, 41 B, left out: only PNG", false},
		"no bytes":          {"image/png", nil, "[image without data]", false},
		"a broken PNG":      {"image/png", pngOf(t, 2, 2)[:16], "cannot be decoded", false},
		"too many pixels":   {"image/png", huge, "8000 pixels", false},
		"too many bytes":    {"image/png", heavy, "larger than 3.8 MB", false},
		"a type to fool us": {"image/\x1b[8mx\n", []byte("text"), "[image of type image/x, 4 B", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := ResultOf(&sdk.CallToolResult{Content: []sdk.Content{&sdk.ImageContent{MIMEType: tc.mime, Data: tc.data}}})
			c := got.Content[0]
			if tc.kept {
				if c.Kind != agent.ContentImage || c.MIME != tc.want || !bytes.Equal(c.Data, tc.data) {
					t.Errorf("got %s %q", c.Kind, c.MIME)
				}
				return
			}
			if c.Kind != agent.ContentText || !strings.Contains(c.Text, tc.want) || len(c.Data) > 0 {
				t.Errorf("got %s %q, want a note with %q", c.Kind, c.Text, tc.want)
			}
		})
	}
}

func TestResultKeepsTheServersOrder(t *testing.T) {
	img := pngOf(t, 1, 1)
	got := ResultOf(&sdk.CallToolResult{Content: []sdk.Content{
		&sdk.TextContent{Text: "before"}, &sdk.ImageContent{MIMEType: "image/png", Data: img},
		&sdk.TextContent{Text: "after"}, &sdk.TextContent{Text: "end"},
	}})
	want := []agent.Content{agent.Text("before"), {Kind: agent.ContentImage, MIME: "image/png", Data: img}, agent.Text("after\nend")}
	if !reflect.DeepEqual(got.Content, want) {
		t.Errorf("got %+v", got.Content)
	}
}
