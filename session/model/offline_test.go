package model

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// spec makes a tool; params are "name:type", required unless ended by "?", and
// "name:a|b" is an enum.
func spec(name, desc string, params ...string) agent.ToolSpec {
	var props, required []string
	for _, p := range params {
		n, typ, _ := strings.Cut(p, ":")
		typ, optional := strings.CutSuffix(typ, "?")
		schema := `{"type":"` + typ + `"}`
		switch {
		case strings.Contains(typ, "|"):
			schema = `{"type":"string","enum":["` + strings.ReplaceAll(typ, "|", `","`) + `"]}`
		case typ == "strings":
			schema = `{"type":"array","items":{"type":"string"}}`
		}
		props = append(props, `"`+n+`":`+schema)
		if !optional {
			required = append(required, `"`+n+`"`)
		}
	}
	return agent.ToolSpec{Name: name, Description: desc,
		Schema: json.RawMessage(`{"type":"object","properties":{` + strings.Join(props, ",") + `},"required":[` + strings.Join(required, ",") + `]}`)}
}

// The tools of several public servers, as they describe themselves.
var (
	builtIns = []agent.ToolSpec{
		spec("read", "Read a text file with line numbers.", "path:string", "offset:integer?", "limit:integer?"),
		spec("ls", "List the files and folders in a folder.", "path:string?"),
		spec("glob", "Find files by a pattern of their names.", "pattern:string", "path:string?"),
		spec("grep", "Search the text of files (code, notes) for a regular expression.", "pattern:string", "path:string?", "glob:string?", "ignore_case:boolean?"),
		spec("write", "Create a file or replace all of its content.", "path:string", "content:string"),
		spec("edit", "Replace an exact text in a file by another.", "path:string", "old_string:string", "new_string:string", "replace_all:boolean?"),
		spec("bash", "Run a shell command in the session's folder.", "command:string", "timeout_seconds:integer?"),
		// These are a language model's: no prompt means them.
		spec("bash_output", "Read what a command in the background has printed since it was read last, and whether it still runs.", "job:integer", "wait_seconds:integer?"),
		spec("bash_stop", "End a command in the background, with all that it started, and read what it printed last.", "job:integer"),
		spec("task", "Have a sub-agent do one piece of work and report.", "description:string", "prompt:string"),
		spec("todo", "Keep a list of steps for work that has several: the user sees it.", "entries:strings"),
	}
	docs = []agent.ToolSpec{
		spec("mcp__docs__search", "Search documentation. (readOnly)", "query:string"),
		spec("mcp__docs__get_version", "Get API version. (readOnly)"),
	}
	deploy = []agent.ToolSpec{
		spec("mcp__deploy__trigger", "Trigger a deployment. (destructive)", "service:string"),
		spec("mcp__deploy__status", "Check deployment status. (readOnly)", "service:string"),
	}
	filesystem = []agent.ToolSpec{
		spec("mcp__filesystem__read_file", "Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead.", "path:string", "tail:number?", "head:number?"),
		spec("mcp__filesystem__read_text_file", "Read the complete contents of a file from the file system as text. Handles various text encodings and provides detailed error messages if the file cannot be read.", "path:string", "tail:number?", "head:number?"),
		spec("mcp__filesystem__read_media_file", "Read an image or audio file. Returns the base64 encoded data and MIME type.", "path:string"),
		spec("mcp__filesystem__read_multiple_files", "Read the contents of multiple files simultaneously.", "paths:strings"),
		spec("mcp__filesystem__write_file", "Create a new file or completely overwrite an existing file with new content. Use with caution as it will overwrite existing files without warning.", "path:string", "content:string"),
		spec("mcp__filesystem__edit_file", "Make line-based edits to a text file.", "path:string", "edits:array", "dryRun:boolean?"),
		spec("mcp__filesystem__create_directory", "Create a new directory or ensure a directory exists.", "path:string"),
		spec("mcp__filesystem__list_directory", "Get a detailed listing of all files and directories in a specified path.", "path:string"),
		spec("mcp__filesystem__list_directory_with_sizes", "Get a detailed listing of all files and directories in a specified path, including sizes.", "path:string", "sortBy:name|size?"),
		spec("mcp__filesystem__directory_tree", "Get a recursive tree view of files and directories as a JSON structure.", "path:string", "excludePatterns:strings?"),
		spec("mcp__filesystem__move_file", "Move or rename files and directories.", "source:string", "destination:string"),
		spec("mcp__filesystem__search_files", "Recursively search for files and directories matching a pattern.", "path:string", "pattern:string", "excludePatterns:strings?"),
		spec("mcp__filesystem__get_file_info", "Retrieve detailed metadata about a file or directory.", "path:string"),
		spec("mcp__filesystem__list_allowed_directories", "Returns the list of directories that this server is allowed to access."),
	}
	everything = []agent.ToolSpec{
		spec("mcp__everything__echo", "Echoes back the input string", "message:string"),
		spec("mcp__everything__get-annotated-message", "Demonstrates how annotations can be used to provide metadata about content.", "messageType:error|success|debug", "includeImage:boolean?"),
		spec("mcp__everything__get-env", "Returns all environment variables, helpful for debugging MCP server configuration"),
		spec("mcp__everything__get-structured-content", "Returns structured content along with an output schema for client data validation", "location:New York|Chicago|Los Angeles"),
		spec("mcp__everything__get-sum", "Returns the sum of two numbers", "a:number", "b:number"),
		spec("mcp__everything__get-tiny-image", "Returns a tiny MCP logo image."),
		spec("mcp__everything__trigger-long-running-operation", "Demonstrates a long running operation with progress updates.", "duration:number?", "steps:number?"),
	}
	weather = []agent.ToolSpec{
		spec("mcp__weather__get_forecast", "Get the weather forecast for a city.", "city:string", "days:integer?"),
		spec("mcp__weather__get_alerts", "Get active weather alerts for a US state.", "state:string"),
	}
	github = []agent.ToolSpec{
		spec("mcp__github__create_issue", "Create a new issue in a repository.", "repo:string", "title:string", "body:string?"),
		spec("mcp__github__list_issues", "List the issues of a repository.", "repo:string", "state:open|closed?"),
		spec("mcp__github__search_repositories", "Search for repositories.", "query:string"),
		spec("mcp__github__delete_branch", "Delete a branch of a repository.", "repo:string", "branch:string"),
	}
	database = []agent.ToolSpec{
		spec("mcp__db__execute_sql", "Execute a SQL query on the database.", "sql:string"),
		spec("mcp__db__list_tables", "List all tables of the database."),
		spec("mcp__db__drop_table", "Drop a table.", "table:string"),
	}
)

const folder = "/home/ann/shop-api"

func request(prompt string, sets ...[]agent.ToolSpec) *agent.Request {
	req := &agent.Request{System: []agent.SystemBlock{{Key: "identity", Text: "You help.\n\nWorking directory: " + folder + "\nOperating system: linux"}}}
	for _, s := range sets {
		req.Tools = append(req.Tools, s...)
	}
	c := agent.Text(prompt)
	req.Messages = []agent.Message{{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockContent, Content: &c}}}}
	return req
}

// stream runs one request and returns the text and the call.
func stream(t *testing.T, req *agent.Request) (string, *agent.Block, agent.Response) {
	t.Helper()
	var text strings.Builder
	res, err := NewOffline().Stream(t.Context(), req, func(d agent.Delta) error {
		if d.Kind == agent.DeltaText {
			text.WriteString(d.Text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range res.Message.Blocks {
		if b.Kind == agent.BlockToolUse {
			return text.String(), &b, res
		}
	}
	return text.String(), nil, res
}

// calls runs a turn in which every call answers "done", and returns the calls as
// "name args".
func calls(t *testing.T, req *agent.Request) []string {
	t.Helper()
	var out []string
	for range 10 {
		_, call, res := stream(t, req)
		if call == nil {
			return out
		}
		out = append(out, call.Name+" "+string(call.Input))
		next := *req
		next.Messages = append(append([]agent.Message{}, req.Messages...), res.Message,
			agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{{Kind: agent.BlockToolResult, ID: call.ID, Result: []agent.Content{agent.Text("done")}}}})
		req = &next
	}
	t.Fatal("the planner does not come to an end")
	return nil
}

func check(t *testing.T, prompt string, sets [][]agent.ToolSpec, want ...string) {
	t.Helper()
	got := calls(t, request(prompt, sets...))
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		// A want without arguments takes any.
		ok = got[i] == want[i] || !strings.Contains(want[i], "{") && strings.HasPrefix(got[i], want[i]+" ")
	}
	if !ok {
		t.Errorf("%q:\n got %q\nwant %q", prompt, got, want)
	}
}

// The seed's first prompt and other ways to say it.
func TestSearchesTheDocs(t *testing.T) {
	sets := [][]agent.ToolSpec{builtIns, docs, deploy}
	en := `mcp__docs__search {"query":"worktree cleanup policy"}`
	zh := `mcp__docs__search {"query":"worktree 清理策略"}`
	for prompt, want := range map[string]string{
		"Search the docs for the worktree cleanup policy.":                                   en,
		"search docs worktree cleanup policy":                                                en,
		"Please look up the worktree cleanup policy in the documentation":                    en,
		"Could you find the worktree cleanup policy in the docs?":                            en,
		"What do the docs say about the worktree cleanup policy?":                            en,
		"Look in the docs for the worktree cleanup policy, please.":                          en,
		"I'd like to know what the documentation says regarding the worktree cleanup policy": en,
		"Worktree cleanup policy: search the docs":                                           `mcp__docs__search {"query":"Worktree cleanup policy"}`,
		"Check the docs for our worktree cleanup policy":                                     en,
		"What is the worktree cleanup policy according to the docs?":                         en,
		"Look through the docs and find the worktree cleanup policy":                         en,
		"What is the worktree cleanup policy? Check the docs.":                               en,
		"Search thedocs for the worktree cleanup policy":                                     en,
		"Search  the   docs for the worktree cleanup policy and tell me what you find":       en,
		`Search the docs for "worktree cleanup policy"`:                                      en,
		"Consult the documentation on the worktree cleanup policy":                           en,
		"Can you dig up the worktree cleanup policy from the docs":                           en,
		"查一下文档里的 worktree 清理策略。":                                                             zh,
		"查一下文档里的worktree清理策略":                                                                `mcp__docs__search {"query":"worktree清理策略"}`,
		"在文档中搜索 worktree 清理策略":                                                               zh,
		"请帮我在文档里查找 worktree 清理策略":                                                            zh,
		"文档里关于 worktree 清理策略是怎么写的？":                                                          zh,
		"帮我看看文档，worktree 清理策略是什么":                                                            zh,
		"搜索文档：worktree 清理策略":                                                                 zh,
		"查 一 下 文档 里 的 worktree 清理 策略":                                                        zh,
		"worktree 清理策略在文档里是怎么说的？":                                                            zh,
		"给我找一份讲 worktree 清理策略的文档":                                                            zh,
		"能不能查查文档中有关 worktree 清理策略的内容":                                                        zh,
		"从文档库中检索 worktree 清理策略，然后告诉我":                                                        zh,
		"我想了解文档里 worktree 清理策略":                                                              zh,
	} {
		check(t, prompt, sets, want)
	}
}

// The seed's second prompt: something is changed, so the status must not do.
func TestDeploysTheCurrentProject(t *testing.T) {
	sets := [][]agent.ToolSpec{builtIns, docs, deploy}
	want := `mcp__deploy__trigger {"service":"shop-api"}`
	for _, prompt := range []string{
		"Deploy the current project and report the result.",
		"deploy this project",
		"Please ship the current project and let me know how it goes.",
		"Could you roll out the current project?",
		"Trigger a deployment of this repo and tell me if it worked",
		"Release the current project, then report back.",
		"I want the current project deployed.",
		"Kick off a deployment for the current project",
		"Push the current project to production and tell me what happened",
		"Run a deployment of my project",
		"Deploy it.",
		"can you get this project deployed please",
		"Put the current project live",
		"deploy the current project. What was the result?",
		"部署当前项目，并告诉我结果。",
		"请把当前项目部署一下",
		"帮我部署一下这个项目，完成后告诉我结果",
		"把当前项目上线并反馈结果",
		"发布当前项目，然后汇报结果",
		"对当前项目进行部署，并说明结果",
		"能帮我部署当前项目吗？",
		"触发当前项目的部署",
		"执行一次当前项目的部署，告诉我结果如何",
		"将当前项目发布上线，看看结果怎么样",
		"部署 当前 项目 ， 并 告诉 我 结果",
	} {
		check(t, prompt, sets, want)
	}
	check(t, "Deploy billing-api", sets, `mcp__deploy__trigger {"service":"billing-api"}`)
	check(t, "部署 billing-api 服务", sets, `mcp__deploy__trigger {"service":"billing-api"}`)
}

func TestAsksForTheStatusWithoutDeploying(t *testing.T) {
	sets := [][]agent.ToolSpec{builtIns, docs, deploy}
	for _, prompt := range []string{
		"What is the deployment status of the current project?",
		"Check the deploy status of this project",
		"Is the current project deployed?",
		"show me the status of the deployment",
		"查看当前项目的部署状态",
		"当前项目部署状态怎么样？",
		"部署进度如何",
		"当前项目部署了吗？",
	} {
		check(t, prompt, sets, `mcp__deploy__status {"service":"shop-api"}`)
	}
	check(t, "Don't deploy anything", sets)
	check(t, "不要部署当前项目", sets)
}

// The seed's third prompt: what could be done is told, nothing is called.
func TestTellsWhatCanBeDone(t *testing.T) {
	for _, prompt := range []string{
		"What documentation and deployment actions can you perform?",
		"Which docs and deploy tools are available?",
		"List the documentation and deployment tools",
		"What can you do with docs and deployments?",
		"Show me everything you can do with docs and deployments",
		"What are your documentation and deployment capabilities?",
		"Tell me which doc and deploy operations you support",
		"what docs/deploy stuff can you do right now",
		"你现在可以执行哪些文档和部署操作？",
		"你有哪些文档和部署工具？",
		"列出你现在能用的文档和部署工具",
		"关于文档和部署，你都能做些什么？",
		"文档、部署相关的操作有哪些可以执行",
		"现在支持哪些文档操作和部署操作",
		"你能对文档和部署做什么",
	} {
		text, call, _ := stream(t, request(prompt, builtIns, docs, deploy, weather))
		if call != nil {
			t.Errorf("%q: called %s", prompt, call.Name)
			continue
		}
		for _, want := range []string{"mcp__docs__search", "mcp__docs__get_version", "mcp__deploy__trigger", "mcp__deploy__status", "(readOnly)", "(destructive)", "Trigger a deployment."} {
			if !strings.Contains(text, want) {
				t.Errorf("%q: no %s in\n%s", prompt, want, text)
			}
		}
		if strings.Contains(text, "mcp__weather") || strings.Contains(text, "`bash`") {
			t.Errorf("%q: lists what was not asked for:\n%s", prompt, text)
		}
	}
	for _, prompt := range []string{"What tools do you have?", "what can you do?", "help", "有哪些工具？", "你能做什么", "你会什么"} {
		text, call, _ := stream(t, request(prompt, builtIns, docs))
		if call != nil || !strings.Contains(text, "mcp__docs__search") || !strings.Contains(text, "`bash`") {
			t.Errorf("%q: call %v, text\n%s", prompt, call, text)
		}
	}
}

func TestUsesTheBuiltIns(t *testing.T) {
	sets := [][]agent.ToolSpec{builtIns, docs, deploy}
	for prompt, want := range map[string]string{
		"read README.md":                                   `read {"path":"README.md"}`,
		"Show me the contents of src/main.go":              `read {"path":"src/main.go"}`,
		"读取 README.md":                                     `read {"path":"README.md"}`,
		"打开 src/main.go 看看":                                `read {"path":"src/main.go"}`,
		"list files":                                       `ls {}`,
		"list the files in src":                            `ls {"path":"src"}`,
		"列出当前目录的文件":                                        `ls {}`,
		"列出 src 目录":                                        `ls {"path":"src"}`,
		"run `go version`":                                 `bash {"command":"go version"}`,
		"run go version":                                   `bash {"command":"go version"}`,
		"执行 `go version`":                                  `bash {"command":"go version"}`,
		"运行 go version":                                    `bash {"command":"go version"}`,
		"please execute the command `npm test`":            `bash {"command":"npm test"}`,
		"grep for TODO":                                    `grep {"pattern":"TODO"}`,
		"Search the code for TODO":                         `grep {"pattern":"TODO"}`,
		"在代码里搜索 TODO":                                      `grep {"pattern":"TODO"}`,
		"find all files matching *.go":                     `glob {"pattern":"*.go"}`,
		`create a file notes.txt with the content "hello"`: `write {"path":"notes.txt","content":"hello"}`,
		`写入 notes.txt，内容为 "你好"`:                            `write {"path":"notes.txt","content":"你好"}`,
		"replace `foo` with `bar` in a.txt":                `edit {"path":"a.txt","old_string":"foo","new_string":"bar"}`,
		"把 a.txt 里的 `foo` 替换成 `bar`":                       `edit {"path":"a.txt","old_string":"foo","new_string":"bar"}`,
	} {
		check(t, prompt, sets, want)
	}
}

func TestUsesOtherServers(t *testing.T) {
	for _, tt := range []struct {
		sets   [][]agent.ToolSpec
		prompt string
		want   string
	}{
		{[][]agent.ToolSpec{filesystem}, "list the directory src", `mcp__filesystem__list_directory {"path":"src"}`},
		{[][]agent.ToolSpec{filesystem}, "read the file notes.txt", `mcp__filesystem__read_text_file {"path":"notes.txt"}`},
		{[][]agent.ToolSpec{filesystem}, "读取文件 notes.txt", `mcp__filesystem__read_text_file {"path":"notes.txt"}`},
		{[][]agent.ToolSpec{filesystem}, "create a directory called build", `mcp__filesystem__create_directory {"path":"build"}`},
		{[][]agent.ToolSpec{filesystem}, "move a.txt to b.txt", `mcp__filesystem__move_file {"source":"a.txt","destination":"b.txt"}`},
		{[][]agent.ToolSpec{filesystem}, "把 a.txt 移动到 b.txt", `mcp__filesystem__move_file {"source":"a.txt","destination":"b.txt"}`},
		{[][]agent.ToolSpec{filesystem}, "which directories are you allowed to access?", `mcp__filesystem__list_allowed_directories {}`},
		{[][]agent.ToolSpec{filesystem}, "delete notes.txt", ``},
		{[][]agent.ToolSpec{builtIns, filesystem}, "use the filesystem server to list /tmp", `mcp__filesystem__list_directory {"path":"/tmp"}`},
		{[][]agent.ToolSpec{builtIns, filesystem}, "用 filesystem 列出 /tmp 目录", `mcp__filesystem__list_directory {"path":"/tmp"}`},
		{[][]agent.ToolSpec{builtIns, filesystem}, "call mcp__filesystem__get_file_info for go.mod", `mcp__filesystem__get_file_info {"path":"go.mod"}`},
		{[][]agent.ToolSpec{builtIns, everything}, "echo hello world", `mcp__everything__echo {"message":"hello world"}`},
		{[][]agent.ToolSpec{builtIns, everything}, "回显 你好世界", `mcp__everything__echo {"message":"你好世界"}`},
		{[][]agent.ToolSpec{builtIns, everything}, `Use the echo tool to say "good morning"`, `mcp__everything__echo {"message":"good morning"}`},
		{[][]agent.ToolSpec{builtIns, everything}, "What is the sum of 3 and 4?", `mcp__everything__get-sum {"a":3,"b":4}`},
		{[][]agent.ToolSpec{builtIns, everything}, "add 3 and 4.5", `mcp__everything__get-sum {"a":3,"b":4.5}`},
		{[][]agent.ToolSpec{builtIns, everything}, "3 加 5 等于多少", `mcp__everything__get-sum {"a":3,"b":5}`},
		{[][]agent.ToolSpec{builtIns, everything}, "show me the environment variables", `mcp__everything__get-env {}`},
		{[][]agent.ToolSpec{builtIns, everything}, "get the structured content for Chicago", `mcp__everything__get-structured-content {"location":"Chicago"}`},
		{[][]agent.ToolSpec{builtIns, everything}, "run `go version`", `bash {"command":"go version"}`},
		{[][]agent.ToolSpec{builtIns, everything}, `call get-sum with {"a": 1, "b": 2}`, `mcp__everything__get-sum {"a": 1, "b": 2}`},
		{[][]agent.ToolSpec{weather, docs}, "What's the weather in Paris?", `mcp__weather__get_forecast {"city":"Paris"}`},
		{[][]agent.ToolSpec{weather, docs}, "查询北京的天气", `mcp__weather__get_forecast {"city":"北京"}`},
		{[][]agent.ToolSpec{github, docs}, "list the open issues of this repository", `mcp__github__list_issues {"repo":"shop-api","state":"open"}`},
		{[][]agent.ToolSpec{github, docs}, `create an issue with title "Crash on start"`, `mcp__github__create_issue {"repo":"shop-api","title":"Crash on start"}`},
		{[][]agent.ToolSpec{github, docs}, "列出当前仓库的问题", `mcp__github__list_issues {"repo":"shop-api"}`},
		{[][]agent.ToolSpec{database}, "list the tables of the database", `mcp__db__list_tables {}`},
		{[][]agent.ToolSpec{database}, "数据库里有哪些表", `mcp__db__list_tables {}`},
		{[][]agent.ToolSpec{database}, "execute `select 1` on the database", `mcp__db__execute_sql {"sql":"select 1"}`},
	} {
		var want []string
		if tt.want != "" {
			want = []string{tt.want}
		}
		check(t, tt.prompt, tt.sets, want...)
	}
}

func TestTakesSeveralSteps(t *testing.T) {
	sets := [][]agent.ToolSpec{builtIns, docs, deploy}
	for prompt, want := range map[string][]string{
		"Search the docs for rollback, then deploy the current project":   {`mcp__docs__search {"query":"rollback"}`, `mcp__deploy__trigger {"service":"shop-api"}`},
		"list files and read README.md":                                   {`ls {}`, `read {"path":"README.md"}`},
		"先查一下文档里的回滚策略，然后部署当前项目":                                           {`mcp__docs__search {"query":"回滚策略"}`, `mcp__deploy__trigger {"service":"shop-api"}`},
		"Deploy the current project and then check the deployment status": {`mcp__deploy__trigger {"service":"shop-api"}`, `mcp__deploy__status {"service":"shop-api"}`},
		"部署当前项目并查看部署状态":                                                   {`mcp__deploy__trigger {"service":"shop-api"}`, `mcp__deploy__status {"service":"shop-api"}`},
		"Search the docs for the build and release policy":                {`mcp__docs__search {"query":"build and release policy"}`},
	} {
		check(t, prompt, sets, want...)
	}
}

// "Stop the server" is no wish to end a job that nobody began.
func TestToolsOfALanguageModelAreNotForPrompts(t *testing.T) {
	for _, prompt := range []string{"Stop the running server", "End the command in the background", "Delegate this task: find TODOs", "Keep a list of steps", "停止正在运行的命令"} {
		text, call, _ := stream(t, request(prompt, builtIns))
		if call != nil && modelsOwn[call.Name] {
			t.Errorf("%q: called %s %s", prompt, call.Name, call.Input)
		}
		for name := range modelsOwn {
			if strings.Contains(text, "`"+name+"`") {
				t.Errorf("%q: speaks of %s:\n%s", prompt, name, text)
			}
		}
	}
}

func TestSaysSoWhenNothingFits(t *testing.T) {
	for _, prompt := range []string{"Hello!", "What is the capital of France?", "你好", "write a poem about the sea", "tell me a joke"} {
		text, call, _ := stream(t, request(prompt, docs, deploy))
		if call != nil {
			t.Errorf("%q: called %s %s", prompt, call.Name, call.Input)
		}
		if !strings.Contains(text, "mcp__docs__search") {
			t.Errorf("%q: does not say what could be done:\n%s", prompt, text)
		}
	}
}

// A turn ends: with what the tool answered, failed or was not allowed to do.
func TestReportsAndEnds(t *testing.T) {
	for _, tt := range []struct {
		prompt, result string
		isError        bool
		want           []string
	}{
		{"Deploy the current project and report the result.", "[deploy] Triggered: shop-api", false, []string{"[deploy] Triggered: shop-api"}},
		{"Deploy the current project", "tool error: no such service", true, []string{"failed", "no such service"}},
		{"Deploy the current project", "rejected by the user", true, []string{"was rejected"}},
		{"部署当前项目", "rejected by the user", true, []string{"已被拒绝"}},
		{"Deploy the current project", "refused: plan mode only reads", true, []string{"not allowed", "plan mode only reads"}},
		{"Deploy the current project, then search the docs for rollback", "tool error: x", true, []string{"Not done: search the docs for rollback"}},
	} {
		req := request(tt.prompt, docs, deploy)
		_, call, res := stream(t, req)
		if call == nil {
			t.Fatalf("%q: no call", tt.prompt)
		}
		if res.StopReason != agent.StopToolUse {
			t.Errorf("%q: stop reason %s", tt.prompt, res.StopReason)
		}
		req.Messages = append(req.Messages, res.Message, agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{
			{Kind: agent.BlockToolResult, ID: call.ID, Result: []agent.Content{agent.Text(tt.result)}, IsError: tt.isError}}})
		text, call, res := stream(t, req)
		if call != nil || res.StopReason != agent.StopEndTurn {
			t.Errorf("%q: goes on with %v", tt.prompt, call)
		}
		for _, w := range tt.want {
			if !strings.Contains(text, w) {
				t.Errorf("%q: no %q in\n%s", tt.prompt, w, text)
			}
		}
	}
}

func TestConnectsTheServerThatIsNamed(t *testing.T) {
	connect := []agent.ToolSpec{{Name: "connect_mcp", Description: "Connect an MCP server of the settings.",
		Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","enum":["docs","deploy"]}},"required":["name"]}`)}}
	req := request("Search the docs for the worktree cleanup policy", builtIns, connect)
	_, call, res := stream(t, req)
	if call == nil || call.Name != "connect_mcp" || string(call.Input) != `{"name":"docs"}` {
		t.Fatalf("call %v", call)
	}
	req.Messages = append(req.Messages, res.Message, agent.Message{Role: agent.RoleUser, Blocks: []agent.Block{
		{Kind: agent.BlockToolResult, ID: call.ID, Result: []agent.Content{agent.Text("Connected to MCP server 'docs'.")}}}})
	req.Tools = append(req.Tools, docs...)
	if _, call, _ = stream(t, req); call == nil || call.Name != "mcp__docs__search" || string(call.Input) != `{"query":"worktree cleanup policy"}` {
		t.Fatalf("after the connection: %v", call)
	}
	check(t, "connect to docs", [][]agent.ToolSpec{connect}, `connect_mcp {"name":"docs"}`)
	check(t, "连接 deploy 服务器", [][]agent.ToolSpec{connect}, `connect_mcp {"name":"deploy"}`)
	// One that does not say which servers there are.
	open := []agent.ToolSpec{spec("connect_mcp", "Connect a configured MCP server that is not running, and discover its tools. They can be called from the next step on.", "name:string")}
	for prompt, name := range map[string]string{"connect to docs": "docs", "Please connect the deploy server": "deploy", "连接 docs": "docs", "连接 deploy 服务器": "deploy", "connect the MCP server my-notes": "my-notes"} {
		check(t, prompt, [][]agent.ToolSpec{builtIns, open}, `connect_mcp {"name":"`+name+`"}`)
	}
}

func TestNamesWhatIsMissing(t *testing.T) {
	text, call, _ := stream(t, request("search the docs", docs))
	if call != nil || !strings.Contains(text, "query") {
		t.Errorf("call %v, text %s", call, text)
	}
}

func TestStreamsInPiecesAndHonoursTheContext(t *testing.T) {
	req := request("What tools do you have?", docs, deploy)
	n := 0
	if _, err := NewOffline().Stream(t.Context(), req, func(agent.Delta) error { n++; return nil }); err != nil || n < 5 {
		t.Errorf("%d deltas, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var shown strings.Builder
	res, err := NewOffline().Stream(ctx, req, func(d agent.Delta) error {
		shown.WriteString(d.Text)
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || len(res.Message.Blocks) != 1 || res.Message.Blocks[0].Content.Text != shown.String() {
		t.Errorf("%v, blocks %v, shown %q", err, res.Message.Blocks, shown.String())
	}
}

func TestAnswersInTheLanguageOfThePrompt(t *testing.T) {
	for prompt, zh := range map[string]bool{
		"Search the docs for 工作树清理策略": false, "查一下 docs 里的 worktree": true, "MCP 服务器有哪些?": true,
		"用 filesystem 的 list_directory 列出 src 目录": true, "deploy": false, "部署": true, `search docs for "清理"`: false,
	} {
		if isChinese(normalise(prompt), "en") != zh {
			t.Errorf("%q: Chinese is %v", prompt, !zh)
		}
	}
}

// The table is meant for tools in general; a small one would be made for a demo.
func TestWordTableIsLarge(t *testing.T) {
	if len(words.zh) < 200 || len(words.en) < 200 {
		t.Errorf("%d Chinese and %d English words", len(words.zh), len(words.en))
	}
}
