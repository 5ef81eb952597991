package permission

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Rule is one line of "permissions" in the settings: read(glob), edit(glob),
// bash(command), mcp(server/tool) or fetch(host). It speaks of what a call does, never of the
// name a tool is shown by.
type Rule struct {
	text string
	kind Kind
	// pattern is the glob of read and edit (slashes, "~/" not yet resolved), the
	// command of bash without its trailing " *", the server's glob of mcp.
	pattern string
	// tool is the glob of mcp's tool.
	tool string
	// prefix says that a bash rule ended in " *" (or is "*").
	prefix bool
	// conditions are what the arguments of an mcp rule's call have to be, all of them.
	conditions []condition
}

// Rules are the three lists of the settings.
type Rules struct {
	Allow, Ask, Deny []Rule
}

// String returns the rule as it was written.
func (r Rule) String() string { return r.text }

// ParseRule reads one rule. The error says what is wrong with it and how it is
// meant to look; it does not name the file, which the caller knows.
func ParseRule(s string) (Rule, error) {
	text := strings.TrimSpace(s)
	family, rest, ok := strings.Cut(text, "(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return Rule{}, lang.Errorf(zh, textRuleForm, s)
	}
	arg := strings.TrimSpace(strings.TrimSuffix(rest, ")"))
	if arg == "" {
		return Rule{}, lang.Errorf(zh, textRuleEmpty, s, family, everything(family))
	}
	switch family {
	case "read", "edit":
		return parsePathRule(text, Kind(family), arg)
	case "bash":
		return parseBashRule(text, arg)
	case "mcp":
		return parseMCPRule(text, arg)
	case "fetch":
		if host := strings.ToLower(arg); !strings.ContainsAny(host, "/ ") && doublestar.ValidatePattern(host) {
			return Rule{text: text, kind: KindFetch, pattern: host}, nil
		}
		return Rule{}, lang.Errorf(zh, textRuleHost, text)
	}
	return Rule{}, lang.Errorf(zh, textRuleFamily, s, family)
}

// ParseRules reads the three lists of the settings. A bad rule is left out and
// named in errs; the others hold.
func ParseRules(allow, ask, deny []string) (rules Rules, errs []error) {
	parse := func(list []string) (out []Rule) {
		for _, s := range list {
			r, err := ParseRule(s)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			out = append(out, r)
		}
		return out
	}
	return Rules{Allow: parse(allow), Ask: parse(ask), Deny: parse(deny)}, errs
}

func everything(family string) string {
	switch family {
	case "read", "edit":
		return "**"
	case "mcp":
		return "*/*"
	}
	return "*"
}

func parsePathRule(text string, kind Kind, arg string) (Rule, error) {
	// Windows users write either slash; elsewhere a backslash escapes.
	if runtime.GOOS == "windows" {
		arg = filepath.ToSlash(arg)
	}
	arg = strings.TrimPrefix(arg, "./")
	if !doublestar.ValidatePattern(arg) {
		return Rule{}, lang.Errorf(zh, textRulePathGlob, text, arg)
	}
	for seg := range strings.SplitSeq(arg, "/") {
		if seg == ".." {
			return Rule{}, lang.Errorf(zh, textRuleDotDot, text)
		}
	}
	if strings.HasPrefix(arg, "~") && arg != "~" && !strings.HasPrefix(arg, "~/") {
		return Rule{}, lang.Errorf(zh, textRuleTilde, text)
	}
	return Rule{text: text, kind: kind, pattern: arg}, nil
}

func parseBashRule(text, arg string) (Rule, error) {
	if arg == "*" {
		return Rule{text: text, kind: KindBash, prefix: true}, nil
	}
	if p, ok := strings.CutSuffix(arg, ":*"); ok && p != "" && !strings.Contains(p, "*") {
		return Rule{}, lang.Errorf(zh, textRuleColon, text, p)
	}
	cmd, prefix := strings.CutSuffix(arg, " *")
	cmd = strings.Join(strings.Fields(cmd), " ")
	if cmd == "" {
		return Rule{text: text, kind: KindBash, prefix: true}, nil
	}
	if head, ok := strings.CutSuffix(cmd, "*"); ok && !prefix {
		return Rule{}, lang.Errorf(zh, textRuleSpace, text, strings.TrimSpace(head))
	}
	// Without a star the command is compared as it stands, so it may hold any
	// character a shell knows.
	if prefix && strings.Contains(cmd, "*") {
		return Rule{}, lang.Errorf(zh, textRuleStar, text)
	}
	return Rule{text: text, kind: KindBash, pattern: cmd, prefix: prefix}, nil
}

func parseMCPRule(text, arg string) (Rule, error) {
	arg, conditions, err := parseConditions(text, arg)
	if err != nil {
		return Rule{}, err
	}
	server, tool, ok := strings.Cut(arg, "/")
	if !ok {
		tool = "*"
	}
	if server == "" || tool == "" {
		return Rule{}, lang.Errorf(zh, textRuleMCP, text)
	}
	if strings.HasPrefix(server, "mcp__") {
		return Rule{}, lang.Errorf(zh, textRuleMCPName, text)
	}
	if !doublestar.ValidatePattern(server) || !doublestar.ValidatePattern(opaque(tool)) {
		return Rule{}, lang.Errorf(zh, textRuleGlob, text, arg)
	}
	return Rule{text: text, kind: KindMCP, pattern: server, tool: tool, conditions: conditions}, nil
}

// opaque hides the slashes of a tool's name from the glob: to an MCP server they
// are letters like others, so * must match them.
func opaque(s string) string { return strings.ReplaceAll(s, "/", "\x00") }

// MatchTool reports whether a glob speaks of a tool, by the server's own name of it.
func MatchTool(pattern, tool string) bool { return glob(opaque(pattern), opaque(tool)) }

// ValidGlob reports whether pattern is one that MatchTool can use.
func ValidGlob(pattern string) bool {
	return pattern != "" && doublestar.ValidatePattern(opaque(pattern))
}

// matchFetch reports whether a rule on hosts speaks of a fetch. One without a port is for
// all of them.
func (r Rule) matchFetch(req Request) bool {
	if req.Kind != KindFetch || req.Host == "" {
		return false
	}
	host, _, ported := strings.Cut(req.Host, ":")
	return glob(r.pattern, req.Host) || ported && !strings.HasPrefix(req.Host, "[") && glob(r.pattern, host)
}

// matchMCP reports whether an MCP rule speaks of the call. A rule for all tools
// of a server also speaks of connecting to it.
func (r Rule) matchMCP(req Request) bool {
	switch req.Kind {
	case KindMCP:
		return glob(r.pattern, req.Server) && MatchTool(r.tool, req.Original) && r.holds(req)
	case KindConnect:
		return r.tool == "*" && len(r.conditions) == 0 && req.Server != "" && glob(r.pattern, req.Server)
	}
	return false
}

func glob(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok
}

// foldsCase says whether two spellings of a path are one file on this system.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// matchPath reports whether a read or edit rule speaks of the resolved path p.
// Relative globs are below root; home is the user's, resolved.
func (r Rule) matchPath(p, root, home string) bool {
	pat := r.pattern
	switch {
	case pat == "~" || strings.HasPrefix(pat, "~/"):
		if home == "" {
			return false
		}
		rel, ok := within(home, p)
		return ok && globFold(strings.TrimPrefix(strings.TrimPrefix(pat, "~"), "/"), rel)
	case filepath.IsAbs(filepath.FromSlash(pat)) || strings.HasPrefix(pat, "/"):
		target := filepath.ToSlash(p)
		if globFold(pat, target) {
			return true
		}
		// The part of the glob before its first wildcard may lead through a
		// symlink (/tmp on macOS), and p never does.
		base, rest := doublestar.SplitPattern(pat)
		if strings.ContainsAny(base, `\`) {
			return false
		}
		rel, ok := within(Resolve(filepath.FromSlash(base)), p)
		return ok && globFold(rest, rel)
	default:
		rel, ok := within(root, p)
		return ok && globFold(pat, rel)
	}
}

func globFold(pattern, name string) bool {
	if foldsCase {
		pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	}
	// "secret/**" speaks of the folder secret as well.
	return glob(pattern, name) || strings.HasSuffix(pattern, "/**") && glob(strings.TrimSuffix(pattern, "/**"), name)
}
