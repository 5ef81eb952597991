// Package permission decides whether a tool call runs, is put to the user, or is
// refused. It is a leaf: it knows no tool, no MCP, no editor. Everything it needs
// of a call is in [Request].
package permission

import (
	"encoding/json"
	"strings"
)

// Capability says what a tool can do to the world.
type Capability string

// The capabilities, from the least to the most alarming; CapabilityUnknown is
// treated as able to do anything.
const (
	CapabilityRead    Capability = "read"
	CapabilityWrite   Capability = "write"
	CapabilityExec    Capability = "exec"
	CapabilityNetwork Capability = "network"
	CapabilityUnknown Capability = "unknown"
)

// Mode is the session's standing answer to calls no rule speaks of.
type Mode string

// The modes, as the editor sees their ids.
const (
	ModeDefault     Mode = "default"
	ModeAcceptEdits Mode = "accept_edits"
	ModePlan        Mode = "plan"
	ModeAuto        Mode = "auto"
)

// Kind is the row of the mode table a call falls under.
type Kind string

// The kinds of calls.
const (
	KindRead    Kind = "read"    // a built-in that reads files: Request.Paths says which
	KindEdit    Kind = "edit"    // a built-in that writes files: Request.Paths says which
	KindBash    Kind = "bash"    // Request.Command is run by a shell
	KindMCP     Kind = "mcp"     // a tool of an MCP server
	KindConnect Kind = "connect" // connect_mcp: starts a server
	KindFetch   Kind = "fetch"   // a built-in that reaches the network
	KindFree    Kind = "free"    // task, todo, diagnostics: acts on nothing
)

// Metadata is what a tool says of itself to the gate. Capability is a claim
// already weighed by the tool's host (for MCP: annotations and words may only
// raise it unless the user trusts the server's annotations).
type Metadata struct {
	Capability Capability
	// Reason says why Capability is what it is, for a person.
	Reason string
	// KeyPrefix groups grants: "mcp" for MCP tools, empty for built-ins.
	KeyPrefix string
	// SummaryHint is a short label of the tool for a person.
	SummaryHint string
}

// Request is one tool call as the gate sees it.
type Request struct {
	Kind Kind
	// Tool is the name the model calls ("bash", "mcp__docs__search").
	Tool string
	// Server and Original are the raw identities behind an MCP tool; rules match
	// on them, never on the displayed name.
	Server, Original string
	// Identity binds a grant: for MCP a hash over the server's identity (its
	// command, url, ...) and the tool's definition; for built-ins empty.
	Identity string
	// Paths are the absolute, symlink-resolved paths the call touches.
	Paths []string
	// Host is what a fetch reaches, with its port where it has one, in lower case. Local
	// says that it is of this machine or its network.
	Host  string
	Local bool
	// Args are the arguments of an MCP call, under the server's own names; rules may speak
	// of them. Nil where they are not known.
	Args json.RawMessage
	// Listing says that it is no call: the question is whether the tool is of any use. A
	// rule that depends on arguments says nothing to that.
	Listing bool
	// Root is the absolute, symlink-resolved folder of the session.
	Root string
	// Command is the shell command of a KindBash request.
	Command string
	// Destructive marks an MCP tool that says of itself that it destroys.
	Destructive bool
	// TrustedRead marks an MCP tool that only reads, on the word of a server
	// whose annotations the user trusts.
	TrustedRead bool
	Metadata
}

// Verdict is the gate's answer.
type Verdict string

// The verdicts.
const (
	Run    Verdict = "run"
	Ask    Verdict = "ask"
	Refuse Verdict = "refuse"
)

// Decision is a verdict and why it was reached, for a person and for the model.
type Decision struct {
	Verdict Verdict
	Reason  string
	// EachTime marks an Ask that no grant can answer for later calls.
	EachTime bool
}

// Describer is implemented by tools that can tell the gate about one call.
// args are the call's arguments, already checked against the tool's schema.
// A tool that does not implement it is KindFree only if it is built in; anything
// else is asked for.
type Describer interface {
	PermissionRequest(args []byte) Request
}

// IsMCPTool reports whether name is the exposed name of a tool of an MCP server.
func IsMCPTool(name string) bool { return strings.HasPrefix(name, "mcp__") }
