package wire

import "github.com/go-json-experiment/json/jsontext"

// ContentBlockType is the discriminator of ContentBlock.
type ContentBlockType string

// The types of content blocks.
const (
	BlockText         ContentBlockType = "text"
	BlockImage        ContentBlockType = "image"
	BlockAudio        ContentBlockType = "audio"
	BlockResourceLink ContentBlockType = "resource_link"
	BlockResource     ContentBlockType = "resource"
)

// ContentBlock is ACP's content block. Type says which members are present:
//
//   - text: text
//   - image, audio: data (base64), mimeType; image also uri
//   - resource_link: uri, name, and what is known of title, description, mimeType, size
//   - resource: resource
type ContentBlock struct {
	Type        ContentBlockType  `json:"type"`
	Text        *string           `json:"text,omitzero"`
	Data        string            `json:"data,omitzero"`
	MimeType    string            `json:"mimeType,omitzero"`
	URI         string            `json:"uri,omitzero"`
	Name        string            `json:"name,omitzero"`
	Title       string            `json:"title,omitzero"`
	Description string            `json:"description,omitzero"`
	Size        *int64            `json:"size,omitzero"`
	Resource    *EmbeddedResource `json:"resource,omitzero"`
}

// TextBlock makes a text block.
func TextBlock(s string) ContentBlock { return ContentBlock{Type: BlockText, Text: &s} }

// EmbeddedResource is a resource with its content: Text, or Blob (base64).
type EmbeddedResource struct {
	URI      string  `json:"uri"`
	MimeType string  `json:"mimeType,omitzero"`
	Text     *string `json:"text,omitzero"`
	Blob     *string `json:"blob,omitzero"`
}

// ToolKind is ACP's category of a tool, for icons.
type ToolKind string

// The kinds that codebot-ls uses, by what the tool can do.
const (
	ToolRead    ToolKind = "read"
	ToolFetch   ToolKind = "fetch"
	ToolEdit    ToolKind = "edit"
	ToolExecute ToolKind = "execute"
	ToolOther   ToolKind = "other"
)

// ToolCallStatus is where a tool call is.
type ToolCallStatus string

// The statuses. A rejected call is failed.
const (
	ToolPending    ToolCallStatus = "pending"
	ToolInProgress ToolCallStatus = "in_progress"
	ToolCompleted  ToolCallStatus = "completed"
	ToolFailed     ToolCallStatus = "failed"
)

// ToolCall is ACP's tool call. RawInput is the arguments as the model gave them.
type ToolCall struct {
	ToolCallID string             `json:"toolCallId"`
	Title      string             `json:"title"`
	Kind       ToolKind           `json:"kind,omitzero"`
	Status     ToolCallStatus     `json:"status,omitzero"`
	Content    []ToolCallContent  `json:"content,omitempty"`
	Locations  []ToolCallLocation `json:"locations,omitempty"`
	RawInput   jsontext.Value     `json:"rawInput,omitzero"`
	RawOutput  jsontext.Value     `json:"rawOutput,omitzero"`
	Meta       *ToolCallMeta      `json:"_meta,omitzero"`
}

// ToolCallUpdate changes a tool call: the members that are present replace those
// of before.
type ToolCallUpdate struct {
	ToolCallID string             `json:"toolCallId"`
	Title      string             `json:"title,omitzero"`
	Kind       ToolKind           `json:"kind,omitzero"`
	Status     ToolCallStatus     `json:"status,omitzero"`
	Content    []ToolCallContent  `json:"content,omitempty"`
	Locations  []ToolCallLocation `json:"locations,omitempty"`
	RawInput   jsontext.Value     `json:"rawInput,omitzero"`
	RawOutput  jsontext.Value     `json:"rawOutput,omitzero"`
	Meta       *ToolCallMeta      `json:"_meta,omitzero"`
}

// Apply lays an update over what is known of a call: the members that are present
// replace those of before.
func (c *ToolCallUpdate) Apply(u ToolCallUpdate) {
	if u.Title != "" {
		c.Title = u.Title
	}
	if u.Kind != "" {
		c.Kind = u.Kind
	}
	if u.Status != "" {
		c.Status = u.Status
	}
	if u.Content != nil {
		c.Content = u.Content
	}
	if u.Locations != nil {
		c.Locations = u.Locations
	}
	if u.RawInput != nil {
		c.RawInput = u.RawInput
	}
	if u.RawOutput != nil {
		c.RawOutput = u.RawOutput
	}
	if u.Meta != nil {
		c.Meta = u.Meta
	}
}

// ToolCallMeta is the _meta of a tool call.
type ToolCallMeta struct {
	Codebot ToolCallOrigin `json:"codebot"`
}

// ToolCallOrigin says what is behind a tool call.
type ToolCallOrigin struct {
	// Tool is the name that the model calls.
	Tool string `json:"tool"`
	// Server and Original are the MCP server and its own name of the tool; absent
	// for built-in tools.
	Server   string `json:"server,omitzero"`
	Original string `json:"original,omitzero"`
	// Reason says why a permission question is asked, in the language of the client.
	Reason string `json:"reason,omitzero"`
	// Parent is the toolCallId of the task whose sub-agent made the call.
	Parent string `json:"parent,omitzero"`
	// Progress is how far a running call is.
	Progress *ToolCallFraction `json:"progress,omitzero"`
}

// ToolCallFraction is progress as a server reports it: so much of the total, which is
// absent when it is not known.
type ToolCallFraction struct {
	Progress float64  `json:"progress"`
	Total    *float64 `json:"total,omitzero"`
	Message  string   `json:"message,omitzero"`
}

// ToolCallContentType is the discriminator of ToolCallContent.
type ToolCallContentType string

// The types of tool call content.
const (
	ToolContent ToolCallContentType = "content"
	ToolDiff    ToolCallContentType = "diff"
)

// ToolCallContent is ACP's: a content block, or a diff (path, oldText, newText;
// oldText is absent for a new file).
type ToolCallContent struct {
	Type    ToolCallContentType `json:"type"`
	Content *ContentBlock       `json:"content,omitzero"`
	Path    string              `json:"path,omitzero"`
	OldText *string             `json:"oldText,omitzero"`
	NewText *string             `json:"newText,omitzero"`
}

// ToolCallLocation is a place in a file: an absolute path, a 1-based line.
type ToolCallLocation struct {
	Path string `json:"path"`
	Line int    `json:"line,omitzero"`
}
