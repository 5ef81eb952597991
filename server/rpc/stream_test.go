package rpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/codebot-ls/codebot-ls/session/secret"
	"io"
	"log/slog"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// peer is the raw other end of a served connection: bytes in, frames out.
type peer struct {
	t    *testing.T
	conn jsonrpc2.Conn // the served end
	in   io.WriteCloser
	r    *bufio.Reader
}

func serve(t *testing.T, h jsonrpc2.Handler) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	conn := jsonrpc2.NewConn(NewStream(inR, outW, nil), jsonrpc2.WithCodec(Codec{}))
	conn.Go(context.Background(), h)
	t.Cleanup(func() {
		_ = inW.Close()
		go func() { _, _ = io.Copy(io.Discard, outR) }()
		select {
		case <-conn.Done():
		case <-time.After(10 * time.Second):
			t.Error("the connection did not end with its input")
		}
		_ = outR.Close()
	})
	return &peer{t: t, conn: conn, in: inW, r: bufio.NewReader(outR)}
}

func (p *peer) raw(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) send(body string) {
	p.t.Helper()
	p.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (p *peer) recv() string {
	p.t.Helper()
	h, err := textproto.NewReader(p.r).ReadMIMEHeader()
	if err != nil {
		p.t.Fatal(err)
	}
	n, err := strconv.Atoi(h.Get("Content-Length"))
	if err != nil {
		p.t.Fatal(err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(p.r, body); err != nil {
		p.t.Fatal(err)
	}
	return string(body)
}

func (p *peer) expect(parts ...string) {
	p.t.Helper()
	got := p.recv()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			p.t.Fatalf("got %s\nwant it to contain %s", got, part)
		}
	}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func echo(_ context.Context, req *jsonrpc2.Request) (any, error) {
	return jsonrpc2.RawMessage(bytes.Clone(req.Params())), nil
}

func chain(h jsonrpc2.Handler) jsonrpc2.Handler {
	return Guard(quiet(), new(Order).Handler(Guard(quiet(), h)))
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping","params":["pong"]}`

// One bad body closed the connection: ocaml-lsp#1864, language-server-protocol#86.
func TestABadBodyIsAnsweredAndTheStreamGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		code string
	}{
		"cut":             {`{bad`, "-32700"},
		"empty object":    {`{}`, "-32600"},
		"null":            {`null`, "-32600"},
		"array":           {`[]`, "-32600"},
		"batch":           {`[{"jsonrpc":"2.0","id":1,"method":"x"}]`, "-32600"},
		"old version":     {`{"jsonrpc":"1.0","id":1,"method":"x"}`, "-32600"},
		"no version":      {`{"id":1,"method":"x"}`, "-32600"},
		"fractional id":   {`{"jsonrpc":"2.0","id":1.5,"method":"x"}`, "-32600"},
		"id too large":    {`{"jsonrpc":"2.0","id":9223372036854775808,"method":"x"}`, "-32600"},
		"object id":       {`{"jsonrpc":"2.0","id":{},"method":"x"}`, "-32600"},
		"capital method":  {`{"jsonrpc":"2.0","id":1,"Method":"x"}`, "-32600"},
		"two values":      {`{} {}`, "-32700"},
		"control in text": {"{\"a\":\"\x01\"}", "-32700"},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, chain(echo))
			p.send(c.body)
			p.expect(`"id":null`, c.code)
			p.send(ping)
			p.expect(`"id":1`, `["pong"]`)
		})
	}
}

// Headers as they really come: go-sdk#787, verible#1987, and noise between frames.
func TestOddHeadersAndNoiseBetweenFramesAreRead(t *testing.T) {
	for name, prefix := range map[string]string{
		"stray line ends":    "\r\n\r\n\n",
		"byte order mark":    "\xEF\xBB\xBF",
		"noise line":         "hello there\r\n",
		"type first":         "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n",
		"a bad length first": "Content-Length: many\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, chain(echo))
			p.raw(prefix)
			p.send(ping)
			p.expect(`"id":1`, "pong")
		})
	}
	t.Run("lower case, space before the colon, line feeds only", func(t *testing.T) {
		p := serve(t, chain(echo))
		p.raw(fmt.Sprintf("content-length : %d\n\n%s", len(ping), ping))
		p.expect(`"id":1`, "pong")
	})
	t.Run("a header without length", func(t *testing.T) {
		p := serve(t, chain(echo))
		p.raw("Content-Type: x\r\n\r\n")
		p.expect(`"id":null`, "-32600")
		p.send(ping)
		p.expect("pong")
	})
	t.Run("no body", func(t *testing.T) {
		p := serve(t, chain(echo))
		p.raw("Content-Length: 0\r\n\r\n")
		p.expect(`"id":null`, "-32600")
		p.send(ping)
		p.expect("pong")
	})
}

// A huge Content-Length allocated as much at once: it is refused at the header.
func TestAnOversizedFrameIsRefusedAtItsHeader(t *testing.T) {
	p := serve(t, chain(echo))
	p.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n", MaxFrame+1))
	p.expect(`"id":null`, "-32600", "limit")
	chunk := strings.Repeat(" ", 1<<20)
	for range MaxFrame / len(chunk) {
		p.raw(chunk)
	}
	p.raw(" ")
	p.send(ping)
	p.expect("pong")
}

// A panic, and an error of a notification, ended the connection.
func TestAPanicOrAFailingNotificationEndsNothing(t *testing.T) {
	p := serve(t, chain(func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		switch req.Method() {
		case "panic":
			panic("boom")
		case "fail":
			return nil, errors.New("no such thing")
		}
		return "ok", nil
	}))
	p.send(`{"jsonrpc":"2.0","method":"panic"}`)
	p.send(`{"jsonrpc":"2.0","method":"fail"}`)
	p.send(`{"jsonrpc":"2.0","id":"a","method":"panic"}`)
	p.expect(`"id":"a"`, "-32603", "internal error")
	p.send(`{"jsonrpc":"2.0","id":"b","method":"fail"}`)
	p.expect(`"id":"b"`, "-32603", "no such thing")
	p.send(`{"jsonrpc":"2.0","id":"c","method":"fine"}`)
	p.expect(`"id":"c"`, "ok")
}

// A handler that takes long held up what came behind it; released it does not,
// and the order of what is not released stays.
func TestALongRequestLetsTheNextInAfterRelease(t *testing.T) {
	finish := make(chan struct{})
	var order []string
	p := serve(t, chain(func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		switch req.Method() {
		case "long":
			Release(ctx)
			<-finish
		case "edit":
			order = append(order, string(req.Params()))
		case "order":
			return strings.Join(order, ""), nil
		}
		return req.Method(), nil
	}))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"long"}`)
	for i := range 50 {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"edit","params":[%d]}`, i))
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"order"}`)
	var want strings.Builder
	for i := range 50 {
		fmt.Fprintf(&want, "[%d]", i)
	}
	p.expect(`"id":2`, want.String())
	close(finish)
	p.expect(`"id":1`, "long")
}

// Whoever settles has seen all that was read before, also what waits for its turn.
func TestWhatWasReadBeforeIsKnownOnceSettled(t *testing.T) {
	order := &Order{}
	if err := order.Settle(t.Context()); err != nil {
		t.Errorf("before the first message: %v", err)
	}
	let := make(chan struct{})
	edits := 0
	var p *peer
	p = serve(t, Guard(quiet(), order.Handler(func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		switch req.Method() {
		case "settle":
			Release(ctx)
			if _, err := p.conn.Call(ctx, "ask", nil, nil); err != nil {
				return nil, err
			}
			early, cancel := context.WithCancel(ctx)
			cancel()
			before := order.Settle(early)
			close(let)
			if err := order.Settle(ctx); err != nil {
				return nil, err
			}
			return fmt.Sprint(before, ", ", edits), nil
		case "hold":
			<-let
		case "edit":
			edits++
		}
		return nil, nil
	})))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"settle"}`)
	p.expect(`"method":"ask"`)
	p.send(`{"jsonrpc":"2.0","method":"hold"}`)
	p.send(`{"jsonrpc":"2.0","method":"edit"}`)
	p.send(`{"jsonrpc":"2.0","id":1,"result":null}`)
	p.expect(`"id":1`, "context canceled, 1")
}

func FuzzStream(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 99999999999999999999\r\n\r\n{}"))
	f.Add([]byte("Content-Length: " + strconv.Itoa(len(ping)) + "\r\n\r\n" + ping))
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 1<<16 {
			return
		}
		s := NewStream(bytes.NewReader(in), io.Discard, nil)
		defer func() { _ = s.Close() }()
		// Each message takes some input, so the input bounds the loop.
		for range len(in) + 1 {
			if _, _, err := s.Read(context.Background()); err != nil {
				return
			}
		}
		t.Fatal("more messages than bytes")
	})
}

// Secrets of the environment and of settings do not reach a trace.
func TestATraceHidesSecrets(t *testing.T) {
	var out bytes.Buffer
	var known secret.Live
	known.LearnEnviron([]string{"ANTHROPIC_API_KEY=sk-ant-planted-1", "HOME=/home/somebody-long"})
	tap := Trace(&out, &known)
	tap(true, []byte(`{"params":{"apiKey":"abc","text":"{\"api_key\": \"lit-eral\", \"a\":1}","x":"sk-ant-planted-1","h":"/home/somebody-long"}}`))
	got := out.String()
	for _, secret := range []string{"sk-ant-planted-1", "abc", "lit-eral"} {
		if strings.Contains(got, secret) {
			t.Errorf("the trace shows %q: %s", secret, got)
		}
	}
	if !strings.Contains(got, "/home/somebody-long") {
		t.Errorf("the trace hides what is no secret: %s", got)
	}
}

// An editor that does not read our stderr must not stop us.
func TestAnUnreadLogBlocksNobody(t *testing.T) {
	r, w := io.Pipe()
	defer func() { _ = r.Close() }()
	l := NewLossy(w)
	for range 10_000 {
		if _, err := l.Write([]byte("line\n")); err != nil {
			t.Fatal(err)
		}
	}
	l.Close(10 * time.Millisecond)
}
