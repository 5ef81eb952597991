// Package agent is the kernel: tools, messages, the model interface, events and
// the loop that joins them. It knows no MCP, no editor and no provider; a tool at
// the other end of a network is just another [Tool].
package agent

import (
	"context"
	"encoding/json"
	"time"
)

// Tool is something the model may call. Implementations are safe for concurrent
// use.
type Tool interface {
	// Name is what the model calls; it matches ^[a-zA-Z0-9_-]{1,64}$.
	Name() string
	Description() string
	// Schema is the JSON Schema of the arguments, an object schema. The bytes are
	// the same on every call, for they are part of the prompt's cached prefix.
	Schema() json.RawMessage
	// Execute runs one call. args is valid JSON checked against Schema. An error
	// becomes the call's failed result, its text read by the model; a cancelled
	// ctx must end it soon. report may be called any number of times, before
	// Execute returns, with output so far or progress; it is never nil.
	Execute(ctx context.Context, args json.RawMessage, report func(Progress)) (Result, error)
}

// Labeler is a Tool with a title for people.
type Labeler interface{ Label() string }

// ConcurrencySafe is a Tool that says which of its calls may run beside others.
// Tools without it run alone.
type ConcurrencySafe interface {
	ConcurrencySafe(args json.RawMessage) bool
}

// Describer is a Tool that can show a call to a person before it runs.
type Describer interface {
	// Describe returns a one-line title of this call and the files it touches,
	// as absolute paths. Preview may hold a diff.
	Describe(args json.RawMessage) Description
}

// Description is how one call looks to a person before it ran.
type Description struct {
	Title     string
	Locations []Location
	Preview   []Content
}

// Location is a place in a file: an absolute path and, where known, a 1-based line.
type Location struct {
	Path string
	Line int
}

// Progress is one report of a running call.
type Progress struct {
	// Text is shown to a person; it replaces what was reported before.
	Text string
}

// ContentKind says which fields of a Content are set.
type ContentKind string

// The kinds of content.
const (
	ContentText  ContentKind = "text"
	ContentImage ContentKind = "image"
	ContentDiff  ContentKind = "diff"
	// ContentResource is an embedded text (or blob) resource, of a prompt or a result.
	ContentResource ContentKind = "resource"
	// ContentLink is a link to a resource that was not read.
	ContentLink  ContentKind = "resource_link"
	ContentAudio ContentKind = "audio"
	// ContentTool names a tool that a search has found (Name), for providers that then
	// show the model its definition in that place; the text beside it is for the others.
	ContentTool ContentKind = "tool_reference"
)

// Content is one piece of a prompt or of a tool's result.
type Content struct {
	Kind ContentKind `json:"kind"`
	Text string      `json:"text,omitempty"` // text, resource (its text)
	// MIME and Data (raw bytes) of an image, audio or blob resource.
	MIME string `json:"mime,omitempty"`
	Data []byte `json:"data,omitempty"`
	// URI and Name of a resource or link.
	URI  string `json:"uri,omitempty"`
	Name string `json:"name,omitempty"`
	// Path, Old and New of a diff; Old is nil for a file that is new. A diff is
	// for people only: models get the text beside it.
	Path string  `json:"path,omitempty"`
	Old  *string `json:"old,omitempty"`
	New  string  `json:"new,omitempty"`
}

// Text makes a text content.
func Text(s string) Content { return Content{Kind: ContentText, Text: s} }

// Result is what a call answered. Content is never empty by the time the loop
// hands it to the model: an empty one becomes "(no output)".
type Result struct {
	Content   []Content
	Locations []Location
	// IsError marks a failure that the tool itself reports.
	IsError bool
	// Raw is the structured result for the editor (ACP rawOutput); may be nil.
	Raw json.RawMessage
}

// Role is whose message it is. Tool results travel in user messages, as providers
// with block lists want it.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// BlockKind says which fields of a Block are set.
type BlockKind string

// The kinds of blocks.
const (
	BlockContent    BlockKind = "content"
	BlockThinking   BlockKind = "thinking"
	BlockToolUse    BlockKind = "tool_use"
	BlockToolResult BlockKind = "tool_result"
)

// Block is one part of a message. It is what the journal keeps.
type Block struct {
	Kind BlockKind `json:"kind"`
	// Content of a content block.
	Content *Content `json:"content,omitempty"`
	// Thinking and Signature of a thinking block. Redacted is Anthropic's opaque form
	// of it, Encrypted OpenAI's: each goes back to its own kind of provider alone.
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Redacted  string `json:"redacted,omitempty"`
	Encrypted string `json:"encrypted,omitempty"`
	// ID, Name and Input of a tool_use; ID also of its tool_result.
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// Result and IsError of a tool_result; NotRun says that its call did nothing.
	Result  []Content `json:"result,omitempty"`
	IsError bool      `json:"is_error,omitempty"`
	NotRun  bool      `json:"not_run,omitempty"`
}

// Message is one message of a conversation.
type Message struct {
	Role   Role    `json:"role"`
	Blocks []Block `json:"blocks"`
}

// KeySummary is the key of the one system block of a request that asks for the
// summary of a conversation: its only message is the conversation as text.
const KeySummary = "summary"

// KeySample is the key of the system block of a request that an MCP server makes.
const KeySample = "sample"

// SystemBlock is one block of the system prompt. Key is "identity",
// "instructions" or "dynamic". CacheMark asks the provider to cache everything up
// to and including this block.
type SystemBlock struct {
	Key       string
	Text      string
	CacheMark bool
}

// ToolSpec is a tool as a model request carries it.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage
	// CacheMark as in SystemBlock; set on the last built-in tool.
	CacheMark bool
	// Found says that a search has brought the tool in: it stands behind those that were
	// there from the beginning.
	Found bool
}

// Request is one request to a model. The slices are shared between requests and
// never changed once handed over: a changed prompt gets new ones.
type Request struct {
	System   []SystemBlock
	Tools    []ToolSpec
	Messages []Message
	// CacheLastMessage is the fourth cache mark.
	CacheLastMessage bool
	// CacheKey is the same for all requests of a conversation, for providers that bring
	// such to where they were cached; it tells nothing else.
	CacheKey string
	// MaxTokens of the answer; 0 means the model's own default.
	MaxTokens int
	// Locale of the user ("en", "zh-cn"), for models that write texts of their own.
	Locale string
}

// DeltaKind says which fields of a Delta are set.
type DeltaKind string

// The kinds of deltas.
const (
	DeltaText     DeltaKind = "text"
	DeltaThinking DeltaKind = "thinking"
	// DeltaToolUse announces a tool call (ID, Name) whose arguments still stream.
	DeltaToolUse DeltaKind = "tool_use"
	// DeltaRetry says that the request failed, nothing was shown, and it will be
	// sent again: Text is why, RetryAfter how long the wait is.
	DeltaRetry DeltaKind = "retry"
)

// Delta is one piece of a streaming answer.
type Delta struct {
	Kind       DeltaKind
	Text       string
	ID, Name   string
	RetryAfter time.Duration
}

// StopReason says why a model stopped or a turn ended, in ACP's words.
type StopReason string

// The stop reasons. StopToolUse is a model's alone: the loop goes on.
const (
	StopEndTurn   StopReason = "end_turn"
	StopMaxTokens StopReason = "max_tokens"
	StopMaxTurns  StopReason = "max_turn_requests"
	StopRefusal   StopReason = "refusal"
	StopCancelled StopReason = "cancelled"
	StopToolUse   StopReason = "tool_use"
)

// Usage counts tokens. Zero means unknown or none.
type Usage struct {
	InputTokens, OutputTokens           int
	CachedReadTokens, CachedWriteTokens int
	ThoughtTokens                       int
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		InputTokens: u.InputTokens + v.InputTokens, OutputTokens: u.OutputTokens + v.OutputTokens,
		CachedReadTokens: u.CachedReadTokens + v.CachedReadTokens, CachedWriteTokens: u.CachedWriteTokens + v.CachedWriteTokens,
		ThoughtTokens: u.ThoughtTokens + v.ThoughtTokens,
	}
}

// Response is a model's whole answer.
type Response struct {
	Message    Message
	StopReason StopReason
	Usage      Usage
}

// Model answers requests. Implementations are safe for concurrent use.
type Model interface {
	// ID is "<provider>/<model>" or "offline".
	ID() string
	// ContextTokens is the size of the context window; 0 when unknown.
	ContextTokens() int
	// Stream sends req and calls emit, in order, for each delta; an error from
	// emit ends the stream. On a cancelled ctx or a cut stream the Response holds
	// what had arrived whole (complete blocks and shown text), beside the error.
	// A failure of the model is an *Error.
	Stream(ctx context.Context, req *Request, emit func(Delta) error) (Response, error)
}

// ErrorKind tells model failures apart; the strings are the wire's.
type ErrorKind string

// The kinds of model failures.
const (
	ErrAuth        ErrorKind = "modelAuth"
	ErrQuota       ErrorKind = "modelQuota"
	ErrNotFound    ErrorKind = "modelNotFound"
	ErrTooLong     ErrorKind = "modelTooLong"
	ErrOverloaded  ErrorKind = "modelOverloaded"
	ErrUnreachable ErrorKind = "modelUnreachable"
	ErrStreamCut   ErrorKind = "modelStreamCut"
	ErrModel       ErrorKind = "modelError"
)

// Error is a failure of a model. Message is for the user and names the model and
// the way out; ProviderMessage is the provider's own text, secrets removed.
type Error struct {
	Kind            ErrorKind
	Message         string
	ProviderMessage string
	RetryAt         time.Time
	Err             error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Err }
