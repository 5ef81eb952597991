package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Guard keeps a connection alive whatever a handler does: a panic becomes an
// internal error, the error of a notification is logged and swallowed, and every
// error of a request gets the code the protocol wants for it.
func Guard(log *slog.Logger, h jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
		call, method := req.IsCall(), req.Method()
		defer func() {
			if p := recover(); p != nil {
				log.Error("handler panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
				result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "internal error while handling %s", method)
			}
			if !call {
				if err != nil {
					log.Warn("notification failed", "method", method, "error", err)
				}
				result, err = nil, nil
				return
			}
			if err != nil {
				result, err = nil, answerable(ctx, err)
			}
		}()
		return h(ctx, req)
	}
}

// answerable gives err the code that goes out; jsonrpc2 would send 0 for a plain
// error, and for a cancelled context too.
func answerable(ctx context.Context, err error) error {
	if errors.Is(err, jsonrpc2.ErrParse) {
		// Of the params: a body that is no JSON never comes this far.
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
	}
	var coded *jsonrpc2.Error
	if errors.As(err, &coded) {
		return coded
	}
	if errors.Is(err, context.Canceled) || ctx.Err() != nil {
		return protocol.ErrRequestCancelled
	}
	return jsonrpc2.Errorf(jsonrpc2.InternalError, "%v", err)
}

type (
	releaseKey struct{}
	callKey    struct{}
)

// CallID is the id of the request whose handler has ctx; it reports false for a
// notification, and outside an [Order].
func CallID(ctx context.Context) (jsonrpc2.ID, bool) {
	id, ok := ctx.Value(callKey{}).(jsonrpc2.ID)
	return id, ok
}

// Order runs handlers one after another in wire order, off the read loop: the
// loop goes on, so cancellations and answers to our own requests are heard at
// once. A handler that takes long calls [Release] when it has taken what it needs
// of the state, and the next one starts. A request that is cancelled while it
// waits for its turn is answered at once.
type Order struct {
	mu   sync.Mutex
	last chan struct{} // guarded by mu: closed when the last message read lets the next in
}

// Handler puts the messages for h in order.
func (o *Order) Handler(h jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		done := make(chan struct{})
		wait := o.enqueue(done) // still on the read loop: wire order
		jsonrpc2.Async(ctx)
		release := sync.OnceFunc(func() { close(done) })
		if req.IsCall() {
			select {
			case <-wait:
			case <-ctx.Done():
				// Those behind us still wait for those before us.
				go func() { <-wait; release() }()
				return nil, protocol.ErrRequestCancelled
			}
		} else {
			<-wait
		}
		defer release()
		ctx = context.WithValue(ctx, releaseKey{}, release)
		if req.IsCall() {
			ctx = context.WithValue(ctx, callKey{}, req.ID())
		}
		return h(ctx, req)
	}
}

// enqueue puts a message at the end, and returns what it has to wait for.
func (o *Order) enqueue(done chan struct{}) (wait <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.last
	if before == nil {
		before = make(chan struct{})
		close(before)
	}
	o.last = done
	return before
}

// Settle waits until every message that was read before has been handled, or has let
// the next one in. What an answer to our own request follows on the wire is known then,
// which it is not yet when the answer comes: answers overtake what waits in the order.
func (o *Order) Settle(ctx context.Context) error {
	o.mu.Lock()
	last := o.last
	o.mu.Unlock()
	if last == nil {
		return nil
	}
	select {
	case <-last:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release lets the next message in; it does nothing outside an [Order] or a second
// time.
func Release(ctx context.Context) {
	if release, ok := ctx.Value(releaseKey{}).(func()); ok {
		release()
	}
}

// ActionError makes the error of an action or model failure, its data encoded.
func ActionError(code jsonrpc2.Code, message string, data any) error {
	raw, err := protocol.Marshal(data)
	if err != nil {
		return fmt.Errorf("encoding the data of %q: %w", message, err)
	}
	e := jsonrpc2.NewError(code, message)
	e.Data = raw
	return e
}
