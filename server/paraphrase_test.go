package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/server/servertest"
	"github.com/codebot-ls/codebot-ls/server/wire"
)

// What a prompt may lead to, besides the name of the one tool it calls.
const (
	// callsNothing: no tool at all.
	callsNothing = ""
	// actsNot is for questions that a fair reader may answer from the docs or the
	// status, or by themselves; only to act would be wrong.
	actsNot = "nothing that acts"

	docsSearch    = "mcp__docs__search"
	docsVersion   = "mcp__docs__get_version"
	deployTrigger = "mcp__deploy__trigger"
	deployStatus  = "mcp__deploy__status"
)

// paraphrase is one way to say something, and what it should lead to.
type paraphrase struct {
	prompt string
	// want is a tool, callsNothing or actsNot.
	want string
	// about is the service, letter for letter, or what the query must hold in any
	// case; empty where there is nothing to compare.
	about string
	// lists are the servers whose tools the answer names.
	lists []string
}

func search(prompt, query string) paraphrase {
	return paraphrase{prompt: prompt, want: docsSearch, about: query}
}

func deploys(prompt, service string) paraphrase {
	return paraphrase{prompt: prompt, want: deployTrigger, about: service}
}

func status(prompt, service string) paraphrase {
	return paraphrase{prompt: prompt, want: deployStatus, about: service}
}

func apiVersion(prompt string) paraphrase { return paraphrase{prompt: prompt, want: docsVersion} }
func nothing(prompt string) paraphrase    { return paraphrase{prompt: prompt} }
func harmless(prompt string) paraphrase   { return paraphrase{prompt: prompt, want: actsNot} }

func listing(prompt string, servers ...string) paraphrase {
	return paraphrase{prompt: prompt, lists: servers}
}

// The world's folder is named "shop", so that is what "the current project" means.
// The first round was written from the tools' names and descriptions alone, by
// somebody who had not seen the planner; each later one before it was first run. One
// that fails is mended in the planner's rules and general vocabulary; it is neither
// reworded nor dropped.
var paraphrases = map[string][]paraphrase{
	"English": {
		search("Search the docs for how worktrees get cleaned up.", "worktree"),
		search("Could you look up the retry policy in the documentation, please?", "retry policy"),
		search("find me whatever the documentation says about rate limits", "rate limits"),
		search("What do the docs say about webhooks?", "webhooks"),
		search("Is there anything in our docs on single sign-on?", "single sign-on"),
		search("i need the docs page about pagination", "pagination"),
		search("Check the documentation: how do I rotate an API key?", "rotate"),
		search("docs: error codes", "error codes"),
		search("Hey, can you dig through the documentation and find the section on caching?", "caching"),
		search("Please consult the docs regarding session timeouts", "session timeouts"),
		search("Look for 'blue-green deployment' in the docs", "blue-green deployment"),
		search("Where in the documentation is the deployment checklist?", "deployment checklist"),
		search("Query the docs for “idempotency keys”", "idempotency keys"),
		search("Read up on OAuth scopes in the docs and tell me what you find", "oauth scopes"),
		search("Documentation search, please: feature flags", "feature flags"),

		deploys("Ship the current project and tell me how it went.", "shop"),
		deploys("Please roll out checkout.", "checkout"),
		deploys("deploy payments-api", "payments-api"),
		deploys("Can you push checkout to production?", "checkout"),
		deploys("Kick off a deployment of billing", "billing"),
		deploys("Start a deploy for the search service and let me know the outcome", "search"),
		deploys("I'd like this project deployed, then give me the result.", "shop"),
		deploys("Release user-service now!", "user-service"),
		deploys("Go ahead and trigger the deployment for `web-frontend`.", "web-frontend"),
		deploys("We're ready: deploy inventory, then report back.", "inventory"),
		deploys("Take this project live.", "shop"),
		deploys("Would you mind deploying what I'm working on? Tell me the result afterwards.", "shop"),
		deploys("Redeploy checkout please", "checkout"),
		deploys("The current project needs to be deployed; report the result to me.", "shop"),

		listing("Which docs and deploy actions are available to you?", "docs", "deploy"),
		listing("What can you do with the documentation and deployment tools?", "docs", "deploy"),
		listing("List the doc and deploy operations you can run.", "docs", "deploy"),
		listing("Tell me what documentation and deployment tools you have.", "docs", "deploy"),
		listing("What are your capabilities around docs and deploys?", "docs", "deploy"),
		listing("show me every deployment action you support", "deploy"),
		listing("Which tools do you have?", "docs", "deploy"),
		listing("As for documentation and deployments, what are you able to do right now?", "docs", "deploy"),

		status("is checkout up?", "checkout"),
		status("How's the deployment of checkout doing?", "checkout"),
		status("What's the status of payments-api?", "payments-api"),
		status("Check on the billing service", "billing"),
		status("Has the orders deployment finished?", "orders"),
		status("Did the last deploy of inventory go through?", "inventory"),
		status("deployment status for web-frontend?", "web-frontend"),
		status("Is the current project deployed?", "shop"),
		status("Don't deploy anything yet, just show me the status of checkout.", "checkout"),
		status("Could you see whether user-service is running?", "user-service"),

		apiVersion("which API version is it?"),
		apiVersion("What version of the API are we on?"),
		apiVersion("Tell me the API's version number."),
		apiVersion("get the current api version please"),
		apiVersion("API version?"),
		apiVersion("Could you check which version the API is at?"),

		nothing("Hello there!"),
		nothing("Thanks, that's all for today."),
		nothing("Good morning! How are you?"),
		nothing("Tell me a joke."),
		nothing("What's 17 times 23?"),
		nothing("Who wrote Moby-Dick?"),
		nothing("You did a great job with that."),
		nothing("Never mind, don't deploy it."),
		nothing("What's the weather like in Berlin?"),
		nothing("Explain what a mutex is."),
		nothing("Please don't deploy checkout."),
		nothing("I deployed checkout yesterday and it was fun."),
		nothing("Version control is confusing sometimes."),
		nothing("I love searching for mushrooms in autumn."),
		harmless("What would happen if I deployed checkout?"),
		harmless("What does it mean to deploy software?"),
		harmless("Should I deploy on a Friday?"),

		// A second round, written after the planner held the first.
		search("Where do the docs explain how to set up a proxy?", "proxy"),
		search("See if the documentation mentions zero-downtime migrations.", "zero-downtime migrations"),
		search("I'm looking for documentation on audit logs.", "audit logs"),
		search("Got any docs about the billing webhook?", "billing webhook"),
		search("How do we configure CORS according to the documentation?", "cors"),
		search("Please find the deployment guide in the documentation", "deployment guide"),
		search("what's written in the docs about environment variables", "environment variables"),
		deploys("Could you get checkout deployed for me?", "checkout"),
		deploys("Deploy the notifications service to production, please.", "notifications"),
		deploys("let's get this project out the door: deploy it and tell me the result", "shop"),
		deploys("Run a deployment for the auth service", "auth"),
		deploys("I want you to deploy gateway and summarise what happened", "gateway"),
		deploys("The orders service is ready, so please deploy it.", "orders"),
		listing("What can I ask you to do with docs and deployments?", "docs", "deploy"),
		listing("Give me an overview of the deploy tools", "deploy"),
		listing("Do you have any tools for documentation or deployment?", "docs", "deploy"),
		status("Any news on the checkout deployment?", "checkout"),
		status("Is the auth service healthy?", "auth"),
		status("I'd like to know if gateway is still running", "gateway"),
		status("Was the rollout of search-api successful?", "search-api"),
		status("Show the current deployment state of notifications", "notifications"),
		apiVersion("I need to know the API version."),
		apiVersion("Fetch the version of the API"),
		nothing("Can you keep a secret?"),
		nothing("My colleague deploys on Fridays, what a hero."),
		nothing("That's fine, leave it undeployed for now."),
		nothing("We shipped the release last week!"),
		nothing("Sorry, I was away for lunch."),
		nothing("What is your favourite colour?"),
		harmless("How risky is it to deploy checkout right now?"),
		harmless("Who is allowed to deploy checkout?"),

		// A third round, written after the planner held the second.
		search("The docs must say something about quotas. Find it.", "quotas"),
		search("Which page of the docs covers log retention?", "log retention"),
		search("Show me the documentation for the export endpoint", "export endpoint"),
		search("Do the docs mention a maximum upload size?", "maximum upload size"),
		search("I can't remember how tenants are isolated, could you check the docs?", "tenants"),
		search("Before we deploy, look up the rollback procedure in the docs.", "rollback procedure"),
		deploys("It's time: deploy catalog.", "catalog"),
		deploys("Please bring the current project into production and tell me whether it worked.", "shop"),
		deploys("Trigger catalog's deployment", "catalog"),
		deploys("ok now deploy the mailer", "mailer"),
		deploys("After that, please roll out a new deployment of payments-api.", "payments-api"),
		listing("Remind me what you're able to do with docs and with deployments.", "docs", "deploy"),
		listing("Which deployment operations are supported?", "deploy"),
		listing("What docs tools are there?", "docs"),
		status("Is catalog deployed yet?", "catalog"),
		status("Tell me how the mailer service is doing", "mailer"),
		status("Can you check if payments-api is down?", "payments-api"),
		status("status of catalog please", "catalog"),
		apiVersion("What's the current version of your API?"),
		apiVersion("Please report the API version to me"),
		nothing("Do not trigger any deployment."),
		nothing("I'm not sure I want to deploy yet."),
		nothing("Deploying is scary."),
		nothing("They deployed the wrong branch again."),
		nothing("Happy birthday!"),
		nothing("I read a book about the status of women in Rome."),
		harmless("Why did the deployment of catalog fail?"),
		harmless("How long does it take to deploy catalog?"),

		// A fourth round, written after the planner held the third.
		search("Would the docs have an example of a retry loop?", "retry loop"),
		search("pull up the docs on tracing", "tracing"),
		search("Let's see what the manual says about backups", "backups"),
		search("I wonder whether the docs describe the release process", "release process"),
		search("Documentation for the /users endpoint?", "users"),
		deploys("Now that tests pass, deploy ledger.", "ledger"),
		deploys("Can you do a deploy of ledger and then tell me its result?", "ledger"),
		deploys("If everything is fine, please deploy the current project.", "shop"),
		deploys("Get ledger out to production", "ledger"),
		deploys("I think we should deploy ledger now, go ahead.", "ledger"),
		listing("Anything you can do with deployments and docs? Which actions?", "docs", "deploy"),
		listing("Explain what tools for docs and deployment you have", "docs", "deploy"),
		status("Where are we with the deployment of ledger?", "ledger"),
		status("ledger: is it deployed?", "ledger"),
		status("Give me the deploy status for this project", "shop"),
		apiVersion("So what API version do you use?"),
		nothing("Deploy? No thanks."),
		nothing("Nobody should deploy today."),
		nothing("The last deployment was a disaster."),
		nothing("I was going to deploy, but lunch came first."),
		harmless("When did we deploy ledger?"),
		harmless("Is it safe to deploy ledger?"),

		// A fifth round: what sounds like an order and is none, and orders beside it.
		nothing("Deployments scare me."),
		nothing("The deploy button is green."),
		nothing("Someone deployed checkout without asking me."),
		nothing("checkout was deployed by Ann this morning."),
		nothing("Let's not deploy today."),
		nothing("I'd rather not deploy checkout."),
		nothing("Avoid deploying on Fridays."),
		nothing("You deployed the wrong thing!"),
		nothing("Please stop deploying things."),
		nothing("The release party is on Saturday."),
		nothing("Only deploy if I say so."),
		nothing("Deploying checkout would break payments, right?"),
		nothing("The team plans to ship checkout next month."),
		harmless("Deploy checkout tomorrow."),
		harmless("Cancel the deployment of checkout."),
		harmless("Roll back checkout."),
		harmless("Write a poem about deploying software."),
		harmless("I'm writing a blog post about how to release software."),
		harmless("Translate \"deploy the project\" into French."),
		harmless("Is deploying on Friday a bad idea?"),
		harmless("What a great launch!"),
		deploys("Yes, deploy it.", "shop"),
		deploys("The tests passed, so go ahead and deploy checkout", "checkout"),
		deploys("It's ready to be deployed, do it", "shop"),
		deploys("deploy checkout when you can", "checkout"),
		deploys("I'd love for you to deploy checkout", "checkout"),
		deploys("Have checkout deployed", "checkout"),
		deploys("Deployment of checkout, please", "checkout"),
	},
	"Chinese": {
		search("帮我在文档里找一下 worktree 是怎么清理的", "worktree"),
		search("文档里关于限流是怎么说的？", "限流"),
		search("麻烦查查文档中有没有提到单点登录", "单点登录"),
		search("搜索文档：分页参数", "分页参数"),
		search("请检索一下 API 文档里的错误码说明", "错误码"),
		search("看看文档怎么描述重试策略的。", "重试策略"),
		search("我想了解webhook的签名校验，翻一下文档", "webhook"),
		search("在文档中搜一搜「蓝绿部署」", "蓝绿部署"),
		search("查阅文档，告诉我会话超时时间的默认值", "会话超时"),
		search("文档里哪儿写了部署检查清单？", "部署检查清单"),
		search("能不能帮忙在docs里搜下OAuth配置", "oauth"),
		search("有没有文档讲缓存失效的？", "缓存失效"),
		search("翻翻文档，密钥轮换怎么做", "密钥轮换"),
		search("去文档里查一下版本兼容性策略", "版本兼容性"),
		search("文档中 rate limit 那一节在哪", "rate limit"),

		deploys("把当前项目部署一下，然后告诉我结果。", "shop"),
		deploys("请部署checkout服务", "checkout"),
		deploys("帮我发布 payments-api", "payments-api"),
		deploys("上线 billing 服务，完成后跟我说一声", "billing"),
		deploys("现在就把 user-service 部署上去吧！", "user-service"),
		deploys("触发一次 web-frontend 的部署", "web-frontend"),
		deploys("麻烦你把这个项目发布上线，并汇报结果", "shop"),
		deploys("可以部署一下 inventory 吗？", "inventory"),
		deploys("开始部署本项目", "shop"),
		deploys("重新部署 checkout", "checkout"),
		deploys("给 orders 服务发个版", "orders"),
		deploys("将我正在做的这个项目部署出去,结果告诉我", "shop"),
		deploys("帮忙启动 search 服务的部署流程", "search"),
		deploys("当前项目可以部署了，部署完把结果给我看看", "shop"),

		listing("你能做哪些跟文档和部署有关的事？", "docs", "deploy"),
		listing("列出你可以用的文档和部署工具", "docs", "deploy"),
		listing("文档和部署方面，你都支持什么操作？", "docs", "deploy"),
		listing("目前有哪些可用的部署操作？", "deploy"),
		listing("你会用什么工具？", "docs", "deploy"),
		listing("请告诉我你拥有的文档类和部署类工具。", "docs", "deploy"),
		listing("关于文档和部署你有什么能力", "docs", "deploy"),
		listing("文档、部署这两块你现在都能干些啥？", "docs", "deploy"),

		status("看看 checkout 服务的部署状态", "checkout"),
		status("checkout 现在正常吗？", "checkout"),
		status("payments-api部署得怎么样了？", "payments-api"),
		status("查询一下 billing 的状态", "billing"),
		status("web-frontend 部署成功了吗", "web-frontend"),
		status("帮我检查orders服务是否在运行", "orders"),
		status("当前项目的部署状态如何？", "shop"),
		status("先不要部署，只看一下 checkout 的状态", "checkout"),
		status("inventory 上线了没有？", "inventory"),
		status("user-service 还活着吗", "user-service"),

		apiVersion("现在的 API 版本是多少？"),
		apiVersion("API是哪个版本的"),
		apiVersion("查一下接口版本"),
		apiVersion("告诉我 API 的版本号"),
		apiVersion("请问api当前是什么版本？"),
		apiVersion("获取API版本"),

		nothing("你好！"),
		nothing("谢谢，辛苦了"),
		nothing("讲个笑话吧"),
		nothing("今天天气怎么样？"),
		nothing("早上好，最近怎么样"),
		nothing("算了，不部署了"),
		nothing("请不要部署 checkout"),
		nothing("我昨天已经把 checkout 部署好了，很顺利"),
		nothing("17乘以23等于几？"),
		nothing("《红楼梦》的作者是谁"),
		nothing("什么是互斥锁？"),
		nothing("我喜欢在秋天找蘑菇"),
		nothing("这个版本的电影更好看"),
		harmless("部署是什么意思？"),
		harmless("如果我部署 checkout 会发生什么？"),
		harmless("周五适合部署吗？"),

		// As above.
		search("文档有没有说怎么配置代理？", "代理"),
		search("想看看文档里对零停机迁移的介绍", "零停机迁移"),
		search("我在找审计日志的文档", "审计日志"),
		search("按照文档，跨域应该怎么配置？", "跨域"),
		search("请在文档里找到部署指南", "部署指南"),
		search("文档对环境变量有哪些说明", "环境变量"),
		search("搜下文档：如何申请访问令牌", "访问令牌"),
		deploys("能帮我把 checkout 部署了吗？", "checkout"),
		deploys("请将 notifications 服务部署到生产环境。", "notifications"),
		deploys("对 auth 服务做一次部署", "auth"),
		deploys("我想让你部署 gateway，然后总结一下情况", "gateway"),
		deploys("orders 服务准备好了，请部署它", "orders"),
		deploys("该发布了，把当前项目推到线上，结果跟我讲一下", "shop"),
		listing("我能让你做哪些文档和部署的操作？", "docs", "deploy"),
		listing("介绍一下你的部署工具", "deploy"),
		listing("你有没有文档或者部署方面的工具？", "docs", "deploy"),
		status("checkout 的部署有进展吗？", "checkout"),
		status("auth 服务健康吗", "auth"),
		status("我想知道 gateway 是不是还在运行", "gateway"),
		status("search-api 上次发布成功没有？", "search-api"),
		status("显示notifications当前的部署状态", "notifications"),
		apiVersion("我需要知道 API 版本"),
		apiVersion("帮忙看看现在用的是哪一版 API"),
		nothing("你能保守秘密吗？"),
		nothing("我同事总在周五部署，真勇敢"),
		nothing("没关系，先别部署了"),
		nothing("我们上周已经发布过了！"),
		nothing("不好意思，刚去吃午饭了"),
		nothing("你最喜欢什么颜色？"),
		harmless("现在部署 checkout 风险大吗？"),
		harmless("谁有权限部署 checkout？"),
		// As above, the third round.
		search("文档里应该提到过配额，找找看", "配额"),
		search("文档哪一页讲了日志保留？", "日志保留"),
		search("给我看导出端点的文档", "导出端点"),
		search("文档有提到上传大小上限吗？", "上传大小"),
		search("我忘了租户是怎么隔离的，你查一下文档吧", "租户"),
		search("部署之前，先在文档里查一下回滚步骤", "回滚步骤"),
		deploys("时间到了，部署 catalog", "catalog"),
		deploys("请把当前项目弄上线，告诉我成没成", "shop"),
		deploys("触发catalog的部署", "catalog"),
		deploys("好，现在部署 mailer", "mailer"),
		deploys("之后请重新发布一次 payments-api", "payments-api"),
		listing("提醒我一下，文档和部署方面你能做什么？", "docs", "deploy"),
		listing("支持哪些部署操作？", "deploy"),
		listing("文档工具有哪些？", "docs"),
		status("catalog 部署了吗？", "catalog"),
		status("告诉我 mailer 服务现在情况如何", "mailer"),
		status("能看下 payments-api 是不是挂了吗", "payments-api"),
		status("catalog的状态，谢谢", "catalog"),
		apiVersion("你们的 API 现在到哪个版本了？"),
		apiVersion("请向我报告 API 版本"),
		nothing("不要触发任何部署。"),
		nothing("我还没想好要不要部署。"),
		nothing("部署真让人紧张。"),
		nothing("他们又部署错分支了。"),
		nothing("生日快乐！"),
		nothing("我读了一本讲罗马女性地位状况的书"),
		harmless("catalog 为什么部署失败了？"),
		harmless("部署 catalog 要多久？"),
		// As above, the fourth round.
		search("文档里会不会有重试循环的例子？", "重试循环"),
		search("把链路追踪的文档调出来", "链路追踪"),
		search("咱们看看手册里对备份怎么讲", "备份"),
		search("不知道文档有没有描述发布流程", "发布流程"),
		search("/users 接口的文档在哪？", "users"),
		deploys("测试都过了，部署 ledger 吧", "ledger"),
		deploys("能不能给 ledger 做个部署，然后告诉我它的结果？", "ledger"),
		deploys("如果没问题的话，请部署当前项目。", "shop"),
		deploys("把 ledger 发到生产", "ledger"),
		deploys("我觉得该部署 ledger 了，动手吧", "ledger"),
		listing("部署和文档，你能干什么？有哪些操作？", "docs", "deploy"),
		listing("说明一下你有哪些文档和部署工具", "docs", "deploy"),
		status("ledger 的部署到哪一步了？", "ledger"),
		status("ledger：部署好了吗？", "ledger"),
		status("给我这个项目的部署状态", "shop"),
		apiVersion("那你用的是什么 API 版本？"),
		nothing("部署？不用了。"),
		nothing("今天谁都不该部署。"),
		nothing("上一次部署是场灾难。"),
		nothing("我本来打算部署的，结果先去吃饭了。"),
		harmless("我们是什么时候部署 ledger 的？"),
		harmless("部署 ledger 安全吗？"),
		// As above, the fifth round.
		nothing("我不想部署 checkout"),
		nothing("别急着部署"),
		nothing("千万别部署"),
		nothing("部署这件事以后再说"),
		nothing("checkout 是昨天部署的"),
		nothing("发布会是周六"),
		nothing("等我说了再部署"),
		nothing("团队打算下个月上线 checkout"),
		harmless("明天部署 checkout"),
		harmless("取消 checkout 的部署"),
		harmless("回滚 checkout"),
		harmless("写一首关于部署的诗"),
		harmless("把“部署项目”翻译成英文"),
		harmless("不是让你部署，是让你看状态"),
		harmless("谁部署了 checkout？"),
		harmless("部署的时候要注意什么？"),
		harmless("停止部署"),
		deploys("checkout 可以上线了", "checkout"),
		deploys("麻烦今天就把 checkout 上线", "checkout"),
		deploys("checkout 已经测试完了，请部署", "checkout"),
		deploys("我们要部署 checkout", "checkout"),
		deploys("checkout 准备好了就部署吧", "checkout"),
	},
}

// toolsOf are the names that an answer about a server's tools must give.
var toolsOf = map[string][]string{
	"docs":   {docsSearch, docsVersion},
	"deploy": {deployTrigger, deployStatus},
}

// A person who says the same in other words than the walkthrough's gets the same,
// over the real wire and beside the built-in tools; one who chats, asks about a
// deployment or forbids it gets none.
func TestOtherWordsReachTheSameTools(t *testing.T) {
	w := shop(t)
	e := w.Start(servertest.Config{Permit: always("allow_once")})
	ready(t, e)
	for language, cases := range paraphrases {
		t.Run(language, func(t *testing.T) {
			hits := 0
			for i, p := range cases {
				t.Run(fmt.Sprintf("%02d", i+1), func(t *testing.T) {
					id := servertest.Call(e, wire.SessionNew, wire.SessionNewParams{}).SessionID
					prompt(e, id, p.prompt)
					if wrong := p.judge(e.Calls(id), e.Text(id)); wrong != "" {
						t.Errorf("%q: %s", p.prompt, wrong)
						return
					}
					hits++
				})
			}
			t.Logf("%d of %d", hits, len(cases))
		})
	}
}

// judge says what is wrong about the calls and the answer; nothing when they fit.
func (p paraphrase) judge(calls []wire.ToolCallUpdate, answer string) string {
	var made []string
	for _, c := range calls {
		made = append(made, c.Meta.Codebot.Tool+string(c.RawInput))
	}
	did := strings.Join(made, ", then ")
	switch p.want {
	case callsNothing:
		if len(calls) > 0 {
			return "called " + did
		}
		for _, server := range p.lists {
			for _, tool := range toolsOf[server] {
				if !strings.Contains(answer, tool) {
					return fmt.Sprintf("the answer does not name %s: %s", tool, answer)
				}
			}
		}
		return ""
	case actsNot:
		for _, c := range calls {
			if tool := c.Meta.Codebot.Tool; tool != docsSearch && tool != docsVersion && tool != deployStatus {
				return "acted: " + did
			}
		}
		return ""
	}
	if len(calls) == 0 {
		return fmt.Sprintf("called nothing, want %s; answered %s", p.want, answer)
	}
	// To look at the status after a deployment is what the server asks for.
	looked := p.want == deployTrigger && len(calls) == 2 && calls[1].Meta.Codebot.Tool == deployStatus
	if calls[0].Meta.Codebot.Tool != p.want || len(calls) > 1 && !looked {
		return fmt.Sprintf("called %s, want %s", did, p.want)
	}
	var args struct{ Service, Query string }
	if err := json.Unmarshal(calls[0].RawInput, &args); err != nil {
		return fmt.Sprintf("arguments %s: %v", calls[0].RawInput, err)
	}
	if p.want == docsSearch && !strings.Contains(strings.ToLower(args.Query), strings.ToLower(p.about)) ||
		p.want != docsSearch && args.Service != p.about {
		return fmt.Sprintf("called %s, want it about %q", did, p.about)
	}
	if calls[0].Status != wire.ToolCompleted {
		return fmt.Sprintf("%s ended %s", did, calls[0].Status)
	}
	return ""
}
