package model

import (
	"regexp"
	"strings"
)

var (
	// What is said of a verb behind it makes it a subject: "部署真让人紧张".
	reZhComment = regexp.MustCompile(`^(这件事|这事|真|很|太|非常|挺|特别|十分|比较|总是|让人|令人|是)`)
	reZhOthers  = regexp.MustCompile(`^(他们|她们|他|她|人家|大家|有人|别人)`)
	reZhTaste   = regexp.MustCompile(`^(我们|我|咱们|咱|他们|他|她|大家)(很|最|也|都|真|非常|特别|一直|挺|蛮)*(喜欢|喜爱|爱|热爱|讨厌|享受|习惯|后悔)`)
	// What is over: a time or "already" before the verb, an ending behind it.
	reZhPast = regexp.MustCompile(`昨天|昨晚|前天|上周|上个月|去年|上次|刚刚|刚才|早就|早已|已经`)
	// What is done as a rule, or was only meant to be.
	reZhHabit = regexp.MustCompile(`总是|总在|总会|经常|常常|老是|一向|从来|有时|偶尔|本来|原本|差点|打算|计划`)
	reZhDone  = regexp.MustCompile(`^(好|完|成功|上去|上线|过)*[了过]`)
)

// isStatementZh is isStatement for Chinese, where endings and small words tell what
// English tells by forms.
func (c clause) isStatementZh() bool {
	text := c.text[c.tokens[0].start:c.tokens[len(c.tokens)-1].end]
	if reZhTaste.MatchString(text) {
		return true
	}
	for _, t := range c.tokens[:c.main] {
		switch t.text {
		case "请", "请你", "请您", "帮", "帮我", "帮忙", "麻烦", "让", "让你", "要你":
			return false
		}
	}
	verb := c.tokens[c.main]
	behind := strings.TrimSpace(c.text[verb.end:c.tokens[len(c.tokens)-1].end])
	// "是昨天部署的" dwells on when or by whom it was done.
	if strings.Contains(c.text[c.tokens[0].start:verb.start], "是") && strings.HasPrefix(behind, "的") && len(strings.TrimRight(behind, "。.！!")) == len("的") {
		return true
	}
	if reZhComment.MatchString(behind) || reZhOthers.MatchString(text) ||
		(c.tokens[0].text == "我" || c.tokens[0].text == "我们") && reZhDone.MatchString(behind) {
		return true
	}
	if reZhHabit.MatchString(c.text[c.tokens[0].start:verb.start]) {
		return true
	}
	return reZhPast.MatchString(c.text[c.tokens[0].start:verb.start]) &&
		(strings.HasSuffix(verb.text, "了") || reZhDone.MatchString(behind))
}

// reZhDegree finds an adjective with its degree; "最新" is a kind, no judgement.
var reZhDegree = regexp.MustCompile(`(很|更|太|非常|真|挺|特别|十分|比较)[^新的，。]`)
