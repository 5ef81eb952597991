package model

import (
	"regexp"
	"strings"
)

// A meta question asks what could be done, and nothing is called for it.

var (
	reMetaWhat = regexp.MustCompile(`(?i)\b(what|which)\b`)
	// What is asked for: tools by any name.
	reMetaNoun = regexp.MustCompile(`(?i)\b(tools?|actions?|operations?|capabilit(y|ies)|commands?|functions?|functionality|features?|abilit(y|ies)|options|skills?|things|stuff|tooling)\b`)
	reMetaCan  = regexp.MustCompile(`(?i)\b(can (you|i|we)|could (you|i|we)|(you|i|we) can|(are|is) (there|available|you able|it possible|possible|supported|offered|exposed|connected|callable|usable)|able to|do (you|we|i) (have|support|offer|provide|know|got)|does .* (offer|support|provide|have|expose)|you (have|support|offer|provide)|at your disposal|available|your|you('re| are) able|be (performed|executed|done|run|called|used|invoked))\b`)
	// "what can you do with docs"
	reMetaDo = regexp.MustCompile(`(?i)\b(what(ever)?|everything|anything|all)\b( else| exactly| kinds? of things?| all)?( that)? (can|could|are) (you|i|we)( (currently|now|possibly|actually|all))?( able to)?( \w+ly)? (do|perform|execute|run|offer|handle|help|use|call|accomplish|manage)\b|\b(everything|what|all|things) (that )?(you|i|we) (can|could|are able to) (currently |now )?(do|perform|execute|run|offer|handle|call)\b|\bhow can you help\b|\b(what|which)\b[^.?!]*\b(can|could) (you|i|we)\b[^.?!]*\b(do|perform|execute|handle|offer)\b( for me| for us| here| today| now| right now| currently)?\W*$|\bare there (any )?[^.?!]*\b(tools|actions|operations|commands|capabilities)\b|\bwhat('s| is) (possible|available|on offer)\b|\bwhat do you (offer|support|provide)\b|^\s*(help|\?|/help)\s*[.!?]*$`)
	// "do you have any tools for", "what can I ask you to do"
	reMetaHave = regexp.MustCompile(`(?i)^\W*(do|have) (you|we|i) (have|got|offer|support|provide|know)?\b[^.?!]*\b(tools?|actions?|operations?|capabilit(y|ies)|commands?|skills?)\b|\bwhat(ever| all| else)? (can|could|may|should) (i|we) (ask|have|get|let|make|use|tell) you (to )?(do|for|perform|run)?\b|\bwhat( all| else)? (you|we|i)('re| are)( \w+)? able to (do|perform|run|execute|handle|offer)\b`)
	// "what can you tell me about X" is a real question.
	reMetaNot  = regexp.MustCompile(`(?i)\b(tell|find|show|say|see)( out)?( me| us)? (about|in|on|from|regarding|of)\b|\bdo (about|for|next with)\b`)
	reMetaYour = regexp.MustCompile(`(?i)\byour\b[^.?!]*\b(tools?|actions?|operations?|capabilities|commands?|abilities|functions|skills?)\b`)
	reMetaList = regexp.MustCompile(`(?i)^\W*(please |kindly |(can|could|would) you (please )?|i('d| would) (like|want)( you)? to (see|know) )?(list|show|tell|give|enumerate|name|describe|explain|display|summari[sz]e|print|see|know)\b`)
	// The tools are the object, not a place: "list the files in tools".
	reMetaTail = regexp.MustCompile(`(?i)\b(tools?|actions?|operations?|capabilities|commands?|abilities|functions)\b[^,.]*?(\b(you|i|we|available|have|can|there|offered|connected|exist|now|please|do|perform|use|call|right|currently|that|are|is|of (each|the|both)|for me|to me|from|servers?|for (docs?|documentation|deploy\w*)|and|their|marks|descriptions?)\b[^.]*)?\W*$`)

	reMetaZh = regexp.MustCompile(`(哪些|哪几个|哪几种|什么|什麼|啥|多少|几个|几种)[^。！？!?]{0,24}?(工具|操作|功能|能力|命令|动作|事情|本领|技能|本事|事)|` +
		`(工具|操作|功能|能力|命令|动作|事情|技能|本领)[^。！？!?，,]{0,10}?(哪些|哪几个|哪几种|什么|啥|多少)|` +
		`(能|可以|会|能够|可)(帮我|帮忙|帮|替我|为我|给我|用来|对[^。！？!?]{1,16}|在[^。！？!?]{1,16}|拿[^。！？!?]{1,16}|用[^。！？!?]{1,16}|针对[^。！？!?]{1,16}|都|做|执行|干|完成)*(做|干|执行|完成|提供|支持|办)(些|点|哪些|到|得了|成)?(什么|啥|嘛|哪些|哪类)|` +
		`(支持|提供|具备)(哪些|什么|啥)[^。！？!?]{0,12}$|你会(什么|些什么|啥)|^(帮助|求助)[。！!]?$`)
	reMetaZhHave = regexp.MustCompile(`(你|您|这里|咱们|我们)(这里|这边|现在)?(有没有|有无|有)[^。！？!?]{0,24}(工具|操作|功能|能力|命令|技能)[^。！？!?，,]{0,4}(吗|么|没有|没)?[？?]`)
	reMetaZhCan  = regexp.MustCompile(`能|可以|可用|可|会|支持|提供|具备|有|执行|使用|你|现在|目前|当前`)
	reMetaZhList = regexp.MustCompile(`(列出|列举|列一下|罗列|显示|展示|告诉我|说说|介绍|看看|查看|给我看|讲讲|说一下|说明|枚举)[^。！？!?]{0,30}(工具|操作|功能|能力|命令|动作|技能)(有哪些|都有哪些|列表|清单|及其说明|和说明)?(给我|一下|吧|呢|吗|了)?[。！!？?]*$|(工具|操作|功能|能力|命令|动作|技能)[^。！？!?，,]{0,6}(介绍|列|说|讲|展示|显示|罗列)(一下|一遍|出来|下|说|讲)?(吧|呗|吗)?[。！!?？]*$`)
	// "有哪些文件", "部署记录里有哪些操作": about something else.
	reMetaZhNot = regexp.MustCompile(`(文件|目录|代码|日志|记录)(里|中|里面)[^。]{0,8}(哪些|什么)|(哪些|什么)(文件|目录|分支|用户)`)
)

// isMeta reports whether a prompt asks what can be done.
func isMeta(text string, zh bool) bool {
	bare := withoutLiterals(text)
	if zh {
		if reMetaZhNot.MatchString(bare) {
			return false
		}
		return reMetaZhHave.MatchString(bare) || reMetaZh.MatchString(bare) && reMetaZhCan.MatchString(bare) || reMetaZhList.MatchString(bare)
	}
	if reMetaNot.MatchString(bare) && !reMetaYour.MatchString(bare) {
		return false
	}
	if reMetaDo.MatchString(bare) || reMetaHave.MatchString(bare) {
		return true
	}
	if reMetaWhat.MatchString(bare) && reMetaNoun.MatchString(bare) && reMetaCan.MatchString(bare) {
		return true
	}
	return reMetaList.MatchString(bare) && reMetaNoun.MatchString(bare) && reMetaTail.MatchString(bare) && !rePlace.MatchString(bare)
}

var rePlace = regexp.MustCompile(`(?i)\b(in|under|inside|from) (the )?(tools?|actions?|commands?|functions?)\b`)

// withoutLiterals blanks what is quoted: it is data.
func withoutLiterals(text string) string {
	b := []byte(text)
	for _, t := range tokenize(text) {
		if t.literal() && t.kind != tokNumber {
			for i := t.start; i < t.end; i++ {
				b[i] = ' '
			}
		}
	}
	return string(b)
}

// metaTopics are the words of a meta question that may name servers.
func metaTopics(text string) []token {
	var out []token
	for _, t := range tokenize(text) {
		if t.function() || t.literal() || t.kind == tokNumber {
			continue
		}
		if t.kind == tokWord && (reMetaNoun.MatchString(t.text) || metaGeneric[t.lower()]) || t.kind == tokHan && metaGenericZh[t.text] {
			continue
		}
		out = append(out, t)
	}
	return out
}

var metaGeneric = set(`perform execute run do use call list show tell give enumerate name describe explain display help offer support provide handle possible available
connected mcp server servers able disposal kind kinds know see exactly stuff everything anything print summarize summarise have got descriptions description marks exist invoke today`)

var metaGenericZh = set(`执行 运行 使用 用 调用 列出 列举 列 罗列 显示 展示 告诉 告诉我 说说 说一下 讲讲 介绍 看看 查看 工具 操作 功能 能力 命令 动作 事情 技能 做 支持 提供 实行 具备 可用 看 说明 清单 列表 服务器 服务 给我看 可 类 种 都有`)

// topical returns the tools of the servers that a meta question is about, all
// tools when it names none.
func topical(text string, tools []*offered) (chosen []*offered, named bool) {
	topics := metaTopics(text)
	servers := map[string]bool{}
	for _, t := range tools {
		for _, w := range topics {
			hit := best(w, t.serverWords, nil) > 0 || best(w, t.nameWords, nil) > 0
			if t.server != "" {
				hit = hit || best(w, t.descWords, nil) > 0
			}
			if hit {
				servers[t.server] = true
			}
		}
	}
	if len(servers) == 0 {
		return tools, false
	}
	// A server that is called by its name leaves out those that only have the word
	// somewhere.
	strict := map[string]bool{}
	covered := 0
	for _, w := range topics {
		hit := false
		for _, t := range tools {
			if t.server != "" && best(w, t.serverWords, nil) > 0 {
				strict[t.server] = true
				hit = true
			}
		}
		if hit {
			covered++
		}
	}
	if covered == len(topics) {
		servers = strict
	} else {
		// The built-ins have words for everything; they are meant only when no
		// server is.
		if len(servers) > 1 {
			delete(servers, "")
		}
	}
	for _, t := range tools {
		if servers[t.server] {
			chosen = append(chosen, t)
		}
	}
	return chosen, true
}

// listing writes tools with their descriptions, by server in the tools' order.
func listing(tools []*offered, l *language) string {
	var order []string
	lines := map[string][]string{}
	for _, t := range tools {
		if _, ok := lines[t.server]; !ok {
			order = append(order, t.server)
		}
		desc := strings.Join(strings.Fields(t.spec.Description), " ")
		if r := []rune(desc); len(r) > 200 {
			// The mark stands at the end and must not be lost.
			mark := ""
			if all := reMark.FindAllString(desc, -1); all != nil {
				mark = " " + all[len(all)-1]
			}
			desc = string(r[:180]) + "…" + mark
		}
		lines[t.server] = append(lines[t.server], "- `"+t.spec.Name+"`: "+desc)
	}
	var parts []string
	for _, s := range order {
		title := s
		if s == "" {
			title = l.builtIn
		}
		parts = append(parts, "**"+title+"**\n"+strings.Join(lines[s], "\n"))
	}
	return strings.Join(parts, "\n\n")
}
