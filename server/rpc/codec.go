package rpc

import (
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Codec encodes and decodes payloads with the union-aware JSON of the protocol
// package; our own types go through the same encoder, so a nil list is [] on the
// wire and never null.
type Codec struct{}

var _ jsonrpc2.Codec = Codec{}

// Marshal implements [jsonrpc2.Codec].
func (Codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		if raw == nil {
			return []byte("null"), nil
		}
		return raw, nil
	}
	return protocol.Marshal(v)
}

// Unmarshal implements [jsonrpc2.Codec].
func (Codec) Unmarshal(data []byte, v any) error {
	if p, ok := v.(*jsonrpc2.RawMessage); ok {
		*p = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

// DecodeParams decodes the params of method into v, absent or null ones as {}: a
// method whose params are all optional may be sent without any. The error is the
// one to answer with.
func DecodeParams(method string, params []byte, v any) error {
	if len(params) == 0 || string(params) == "null" {
		params = []byte("{}")
	}
	if err := protocol.Unmarshal(params, v); err != nil {
		return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "params of %s: %v", method, err)
	}
	return nil
}
