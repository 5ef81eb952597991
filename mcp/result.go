package mcp

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"  // to look at what servers send
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codebot-ls/codebot-ls/mcp/toolschema"
	"github.com/codebot-ls/codebot-ls/session/agent"
)

// What of images the model APIs take. One image beyond it makes the API refuse
// the whole conversation from then on, so it must not get in.
const (
	maxImageBytes = 3_750_000 // 5 MB in base64
	maxImageSide  = 8000      // pixels
)

// ResultOf turns a server's answer into the agent's content, in the server's
// order; texts that follow each other are joined by a line end. Nothing that the
// server sent disappears: what cannot be carried leaves a note, an answer with
// only structured content becomes its JSON, and an empty one says so. How much of
// it a model gets to see is up to the session. Texts are the server's own, not
// cleaned.
func ResultOf(res *sdk.CallToolResult) agent.Result {
	var out agent.Result
	if res == nil {
		res = &sdk.CallToolResult{}
	}
	for _, c := range res.Content {
		for _, piece := range pieces(c) {
			out.Content = appendContent(out.Content, piece)
		}
	}
	if res.StructuredContent != nil {
		if raw, err := toolschema.Encode(res.StructuredContent); err == nil && string(raw) != "null" {
			out.Raw = raw
			if !says(out.Content) {
				out.Content = appendContent(out.Content, agent.Text(string(raw)))
			}
		}
	}
	out.IsError = res.IsError
	if out.IsError {
		out.Content = markError(out.Content)
	} else if !says(out.Content) {
		out.Content = []agent.Content{agent.Text(textNoOutput)}
	}
	return out
}

// says reports whether content holds anything but blank text.
func says(content []agent.Content) bool {
	for _, c := range content {
		if c.Kind != agent.ContentText || strings.TrimSpace(c.Text) != "" {
			return true
		}
	}
	return false
}

// markError puts "tool error: " before the first text, or a text of its own
// before content that has none.
func markError(content []agent.Content) []agent.Content {
	for i, c := range content {
		if c.Kind == agent.ContentText && strings.TrimSpace(c.Text) != "" {
			content[i].Text = textToolError + c.Text
			return content
		}
	}
	note := agent.Text(textToolError + textErrorNoText)
	if !says(content) {
		return []agent.Content{note}
	}
	return append([]agent.Content{note}, content...)
}

// appendContent joins texts that follow each other.
func appendContent(all []agent.Content, c agent.Content) []agent.Content {
	if n := len(all); n > 0 && c.Kind == agent.ContentText && all[n-1].Kind == agent.ContentText {
		all[n-1].Text += "\n" + c.Text
		return all
	}
	return append(all, c)
}

// pieces converts one piece of content. What a model may be unable to take comes
// with a text that says what it is.
func pieces(c sdk.Content) []agent.Content {
	switch c := c.(type) {
	case *sdk.TextContent:
		return []agent.Content{agent.Text(c.Text)}
	case *sdk.ImageContent:
		return []agent.Content{imageOf(c.MIMEType, c.Data)}
	case *sdk.AudioContent:
		if len(c.Data) == 0 {
			return []agent.Content{agent.Text(textAudioEmpty)}
		}
		mime := CleanLine(c.MIMEType)
		return []agent.Content{
			agent.Text(fmt.Sprintf(textAudio, mime, bytesText(len(c.Data)))),
			{Kind: agent.ContentAudio, MIME: mime, Data: c.Data},
		}
	case *sdk.ResourceLink:
		name := c.Title
		if name == "" {
			name = c.Name
		}
		return []agent.Content{{
			Kind: agent.ContentLink, URI: c.URI, Name: CleanLine(name), MIME: CleanLine(c.MIMEType), Text: c.Description,
		}}
	case *sdk.EmbeddedResource:
		return resourceOf(c.Resource)
	}
	return []agent.Content{agent.Text(textUnknownContent)}
}

// imageOf returns an image that model APIs take, or a note in its place. The type
// is what the bytes are, not what the server calls them.
func imageOf(claimed string, data []byte) agent.Content {
	if len(data) == 0 {
		return agent.Text(textImageEmpty)
	}
	size := bytesText(len(data))
	mime := http.DetectContentType(data)
	switch mime {
	case "image/png", "image/jpeg", "image/gif":
		cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return agent.Text(fmt.Sprintf(textImageBroken, mime, size))
		}
		if cfg.Width > maxImageSide || cfg.Height > maxImageSide {
			return agent.Text(fmt.Sprintf(textImageLarge, mime, size, bytesText(maxImageBytes), maxImageSide))
		}
	case "image/webp": // the standard library cannot look into it
	default:
		return agent.Text(fmt.Sprintf(textImageType, CleanLine(claimed), size))
	}
	if len(data) > maxImageBytes {
		return agent.Text(fmt.Sprintf(textImageLarge, mime, size, bytesText(maxImageBytes), maxImageSide))
	}
	return agent.Content{Kind: agent.ContentImage, MIME: mime, Data: data}
}

func resourceOf(r *sdk.ResourceContents) []agent.Content {
	if r == nil || r.Text == "" && len(r.Blob) == 0 {
		return []agent.Content{agent.Text(textResourceEmpty)}
	}
	mime := CleanLine(r.MIMEType)
	if r.Text != "" {
		return []agent.Content{{Kind: agent.ContentResource, URI: r.URI, MIME: mime, Text: r.Text}}
	}
	if strings.HasPrefix(mime, "image/") {
		return []agent.Content{imageOf(mime, r.Blob)}
	}
	return []agent.Content{
		agent.Text(fmt.Sprintf(textBlob, CleanLine(r.URI), mime, bytesText(len(r.Blob)))),
		{Kind: agent.ContentResource, URI: r.URI, MIME: mime, Data: r.Blob},
	}
}

// bytesText writes a size for people.
func bytesText(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
