package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
	"github.com/codebot-ls/codebot-ls/session/permission"
)

const (
	// maxJobs is how many commands may run in the background at once, maxEnded how many
	// that have ended are kept to be read.
	maxJobs  = 8
	maxEnded = 32
	// jobEarly is how long a command that goes to the background is watched: one that
	// fails at once says so in the same answer.
	jobEarly = time.Second
	// jobGather is how long news that do not pause are gathered for one look.
	jobGather = time.Second
	// maxJobWait bounds how long one look at a job waits for news.
	maxJobWait = 60 * time.Second
)

// Jobs are the commands of a session that run in the background, from the call that starts
// them until they end, bash_stop, or Close. They outlive turns, not this process.
type Jobs struct {
	running sync.WaitGroup // the goroutines of the jobs

	mu     sync.Mutex // guards all below
	list   []*job     // in the order they were started
	last   int
	closed bool
}

// NewJobs makes an empty set, which must be closed.
func NewJobs() *Jobs { return &Jobs{} }

// job is one command in the background.
type job struct {
	id   int
	line string
	c    *command
	done chan struct{} // closed once end is there

	// All below are guarded by Jobs.mu.
	seen    int64 // of the output: what was read
	looked  int64 // how much output there was then
	end     ending
	ended   bool
	stopped bool
	told    bool // the end was told
}

// Close ends all commands, side by side, and waits for them; none can be started after.
func (js *Jobs) Close() {
	js.mu.Lock()
	js.closed = true
	list := slices.Clone(js.list)
	js.mu.Unlock()
	var all sync.WaitGroup
	for _, j := range list {
		all.Go(j.c.stop)
	}
	all.Wait()
	js.running.Wait()
}

// start begins a command as a job.
func (js *Jobs) start(w *world, line string) (*job, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.closed {
		return nil, errors.New("the session is closed")
	}
	var running []string
	for _, j := range js.list {
		if !j.ended {
			running = append(running, strconv.Itoa(j.id))
		}
	}
	if len(running) >= maxJobs {
		return nil, fmt.Errorf("%d commands run in the background already (jobs %s): end one with bash_stop first", len(running), strings.Join(running, ", "))
	}
	c, err := w.start(line, newJobOutput())
	if err != nil {
		return nil, err
	}
	js.last++
	j := &job{id: js.last, line: line, c: c, done: make(chan struct{})}
	js.list = append(js.list, j)
	js.forget()
	js.running.Go(func() {
		<-c.exited
		end := c.end()
		js.mu.Lock()
		j.end, j.ended = end, true
		js.mu.Unlock()
		close(j.done)
	})
	return j, nil
}

// forget drops the oldest that have ended. js.mu is held.
func (js *Jobs) forget() {
	ended := 0
	for _, j := range js.list {
		if j.ended {
			ended++
		}
	}
	js.list = slices.DeleteFunc(js.list, func(j *job) bool {
		if !j.ended || ended <= maxEnded {
			return false
		}
		ended--
		return true
	})
}

// drop takes a job out that nobody is to look at again.
func (js *Jobs) drop(j *job) {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.list = slices.DeleteFunc(js.list, func(other *job) bool { return other == j })
}

// get is a job by its number, nil where it is not kept. js.mu is held.
func (js *Jobs) get(id int) *job {
	for _, j := range js.list {
		if j.id == id {
			return j
		}
	}
	return nil
}

// find is a job by its number. An error says which there are: a model that was cut off
// from its jobs by a restart goes on with numbers of before.
func (js *Jobs) find(id int) (*job, error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if j := js.get(id); j != nil {
		return j, nil
	}
	var known []string
	for _, j := range js.list {
		known = append(known, j.state())
	}
	gone := "jobs end with the editor, so one of before a restart is gone"
	if id <= js.last {
		gone = "it ended and is not kept any more"
	}
	if len(known) == 0 {
		known = []string{"none"}
	}
	return nil, fmt.Errorf("there is no job %d: %s; there are now: %s", id, gone, strings.Join(known, ", "))
}

// read is what a job printed since it was read last, and how it is. An end that was told
// is not told again by news.
func (js *Jobs) read(j *job) string {
	js.mu.Lock()
	defer js.mu.Unlock()
	j.looked = j.c.out.size()
	text, seen := j.c.out.since(j.seen, j.ended)
	j.seen = seen
	j.told = j.told || j.ended
	text = strings.TrimRight(text, "\n")
	if text == "" {
		text = "(no new output)"
	}
	return text + "\n[" + j.state() + "]"
}

// unread reports whether a job printed something that was not read, or has ended.
func (js *Jobs) unread(j *job) bool {
	js.mu.Lock()
	defer js.mu.Unlock()
	return j.ended || j.c.out.size() > j.looked
}

// state says how a job is. Jobs.mu is held.
func (j *job) state() string {
	name := "job " + strconv.Itoa(j.id)
	switch {
	case !j.ended:
		return fmt.Sprintf("%s runs, for %s so far", name, time.Since(j.c.begun).Round(time.Second))
	case j.stopped:
		return name + " was stopped"
	case j.end.state.ExitCode() < 0:
		return name + " was ended by " + j.end.state.String()
	}
	return fmt.Sprintf("%s ended with exit code %d", name, j.end.state.ExitCode())
}

// withNews adds the ends of jobs that were not told yet to what the model reads of a
// command, each on a line.
func (js *Jobs) withNews(r agent.Result) agent.Result {
	js.mu.Lock()
	defer js.mu.Unlock()
	for _, j := range js.list {
		if j.ended && !j.told {
			j.told = true
			r = withLine(r, "["+j.state()+"; bash_output has what it printed]")
		}
	}
	return r
}

// withLine adds a line to the text of a result.
func withLine(r agent.Result, line string) agent.Result {
	last := &r.Content[len(r.Content)-1]
	last.Text += "\n" + line
	return r
}

// background starts a command and answers with what it did in its first moments.
func (t *bashTool) background(ctx context.Context, line string) (agent.Result, error) {
	j, err := t.w.Jobs.start(t.w, line)
	if err != nil {
		return agent.Result{}, err
	}
	early := time.NewTimer(jobEarly)
	defer early.Stop()
	select {
	case <-j.done:
		t.w.Jobs.drop(j)
		e := j.end
		e.output = j.c.out.text()
		return t.w.Jobs.withNews(withLine(e.result(bashTimeout), "[it ended at once, so there is no job]")), nil
	case <-ctx.Done():
		j.c.stop()
		<-j.done
		t.w.Jobs.drop(j)
		return agent.Result{}, ctx.Err()
	case <-early.C:
	}
	return t.w.Jobs.answer(j, "\nbash_output reads on, bash_stop ends it."), nil
}

// answer is what a model reads of a job: what it printed, how it is, and what more there
// is to say.
func (js *Jobs) answer(j *job, more string) agent.Result {
	r := textResult(js.read(j) + more)
	r.Raw = json.RawMessage(`{"job":` + strconv.Itoa(j.id) + `}`)
	return js.withNews(r)
}

// jobArgs are the arguments of bash_output and bash_stop.
type jobArgs struct {
	Job         int `json:"job"`
	WaitSeconds int `json:"wait_seconds"`
}

// jobTool is what bash_output and bash_stop have in common.
type jobTool struct{ w *world }

func (t jobTool) describe(args json.RawMessage, label, of string) agent.Description {
	var a jobArgs
	if decode(args, &a) != nil || a.Job == 0 {
		return agent.Description{Title: t.w.Lang.Text(zh, label)}
	}
	t.w.Jobs.mu.Lock()
	defer t.w.Jobs.mu.Unlock()
	line := ""
	if j := t.w.Jobs.get(a.Job); j != nil {
		line = oneLine(j.line)
	}
	return agent.Description{Title: strings.TrimSuffix(t.w.say(of, a.Job, line), " ``")}
}

// job is the one that a call means, with the call's arguments.
func (t jobTool) job(args json.RawMessage) (*job, jobArgs, error) {
	var a jobArgs
	if err := decode(args, &a); err != nil {
		return nil, a, err
	}
	j, err := t.w.Jobs.find(a.Job)
	return j, a, err
}

// free is the request of a call: what the agent has started, with leave, it may read and
// end.
func (t jobTool) free(name, label string) permission.Request {
	return t.w.request(name, permission.KindFree, permission.CapabilityRead, label)
}

// outputTool is bash_output.
type outputTool struct{ jobTool }

var outputSchema = schema(`{"type":"object","properties":{"job":{"type":"integer","minimum":1,"description":"The job, as bash named it."},"wait_seconds":{"type":"integer","minimum":0,"maximum":60,"description":"How long to wait for something new, or the end; 0 by default."}},"required":["job"],"additionalProperties":false}`)

func (*outputTool) Name() string                         { return "bash_output" }
func (t *outputTool) Label() string                      { return t.w.say(textLabelOutput) }
func (*outputTool) Schema() json.RawMessage              { return outputSchema }
func (*outputTool) ConcurrencySafe(json.RawMessage) bool { return true }
func (*outputTool) Description() string {
	return "Read what a command in the background has printed since it was read last, and whether it still runs."
}

// PermissionRequest implements permission.Describer.
func (t *outputTool) PermissionRequest([]byte) permission.Request {
	return t.free(t.Name(), t.Label())
}

// Describe implements agent.Describer.
func (t *outputTool) Describe(args json.RawMessage) agent.Description {
	return t.describe(args, textLabelOutput, textOutput)
}

func (t *outputTool) Execute(ctx context.Context, args json.RawMessage, report func(agent.Progress)) (agent.Result, error) {
	j, a, err := t.job(args)
	if err != nil {
		return agent.Result{}, err
	}
	if a.WaitSeconds > 0 {
		t.wait(ctx, j, min(time.Duration(a.WaitSeconds)*time.Second, maxJobWait), report)
	}
	if err := ctx.Err(); err != nil {
		return agent.Result{}, err
	}
	return t.w.Jobs.answer(j, ""), nil
}

// wait waits for something new of a job, and, when that comes while it waits, for what
// comes in one go with it: a line at a time would be a model's request for each.
func (t *outputTool) wait(ctx context.Context, j *job, most time.Duration, report func(agent.Progress)) {
	if t.w.Jobs.unread(j) {
		return
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	tick := time.NewTicker(bashReport)
	defer tick.Stop()
	var first time.Time // when the news began; zero before
	for shown := j.c.out.size(); ; {
		select {
		case <-j.done:
			return
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch n := j.c.out.size(); {
		case n != shown:
			shown = n
			report(agent.Progress{Text: j.c.out.last()})
			if first.IsZero() {
				first = time.Now()
			}
			if time.Since(first) > jobGather {
				return
			}
		case !first.IsZero():
			return // it has paused
		}
	}
}

// stopTool is bash_stop.
type stopTool struct{ jobTool }

var stopSchema = schema(`{"type":"object","properties":{"job":{"type":"integer","minimum":1,"description":"The job, as bash named it."}},"required":["job"],"additionalProperties":false}`)

func (*stopTool) Name() string            { return "bash_stop" }
func (t *stopTool) Label() string         { return t.w.say(textLabelStop) }
func (*stopTool) Schema() json.RawMessage { return stopSchema }
func (*stopTool) Description() string {
	return "End a command in the background, with all that it started, and read what it printed last."
}

// PermissionRequest implements permission.Describer.
func (t *stopTool) PermissionRequest([]byte) permission.Request {
	return t.free(t.Name(), t.Label())
}

// Describe implements agent.Describer.
func (t *stopTool) Describe(args json.RawMessage) agent.Description {
	return t.describe(args, textLabelStop, textStop)
}

func (t *stopTool) Execute(_ context.Context, args json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
	j, _, err := t.job(args)
	if err != nil {
		return agent.Result{}, err
	}
	t.w.Jobs.mu.Lock()
	j.stopped = j.stopped || !j.ended
	t.w.Jobs.mu.Unlock()
	j.c.stop()
	<-j.done
	return t.w.Jobs.answer(j, ""), nil
}
