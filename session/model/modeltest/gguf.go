package modeltest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
)

// The sizes of the model that WriteGGUF makes.
const (
	ggufEmbedding = 64
	ggufLayers    = 2
	ggufHeads     = 4
	ggufForward   = 128
	ggufContext   = 32768
	ggufAlign     = 32
)

// ggufTemplate shows a chat with tools the way Qwen's models have it.
const ggufTemplate = `{%- if tools %}<|im_start|>system
{%- for tool in tools %}
{{ tool | tojson }}{%- endfor %}
Call with <tool_call>{"name": <name>, "arguments": <arguments>}</tool_call><|im_end|>
{%- endif %}{%- for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}{%- if m.tool_calls %}{%- for c in m.tool_calls %}<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{%- endfor %}{%- endif %}<|im_end|>
{%- endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
{%- endif %}`

// WriteGGUF writes a tiny llama of random weights and one token for each byte
// (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): what it says is
// nonsense, but the server that runs it is a real one.
func WriteGGUF(t testing.TB, path string) {
	t.Helper()
	g := &gguf{random: rand.New(rand.NewPCG(7, 7))}
	g.text("general.architecture", "llama")
	g.text("general.name", "random")
	g.number("general.file_type", 0)
	g.number("llama.context_length", ggufContext)
	g.number("llama.embedding_length", ggufEmbedding)
	g.number("llama.block_count", ggufLayers)
	g.number("llama.feed_forward_length", ggufForward)
	g.number("llama.attention.head_count", ggufHeads)
	g.number("llama.attention.head_count_kv", ggufHeads)
	g.number("llama.rope.dimension_count", ggufEmbedding/ggufHeads)
	g.key("llama.attention.layer_norm_rms_epsilon", 6, float32(1e-5))
	tokens, kinds := []string{"<unk>", "<s>", "</s>"}, []int32{2, 3, 3}
	for i := range 256 {
		tokens, kinds = append(tokens, fmt.Sprintf("<0x%02X>", i)), append(kinds, 6)
	}
	g.number("llama.vocab_size", uint32(len(tokens)))
	g.text("tokenizer.ggml.model", "llama")
	g.key("tokenizer.ggml.tokens", 9, uint32(8), uint64(len(tokens)))
	for _, token := range tokens {
		g.string(token)
	}
	g.key("tokenizer.ggml.scores", 9, uint32(6), uint64(len(tokens)), make([]float32, len(tokens)))
	g.key("tokenizer.ggml.token_type", 9, uint32(5), uint64(len(tokens)), kinds)
	g.number("tokenizer.ggml.bos_token_id", 1)
	g.number("tokenizer.ggml.eos_token_id", 2)
	g.number("tokenizer.ggml.unknown_token_id", 0)
	g.key("tokenizer.ggml.add_bos_token", 7, true)
	g.key("tokenizer.ggml.add_space_prefix", 7, false)
	g.text("tokenizer.chat_template", ggufTemplate)

	g.tensor("token_embd.weight", 1, ggufEmbedding, len(tokens))
	g.tensor("output_norm.weight", 0, ggufEmbedding)
	g.tensor("output.weight", 1, ggufEmbedding, len(tokens))
	for layer := range ggufLayers {
		name := func(part string) string { return fmt.Sprintf("blk.%d.%s.weight", layer, part) }
		g.tensor(name("attn_norm"), 0, ggufEmbedding)
		for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			g.tensor(name(part), 0.3, ggufEmbedding, ggufEmbedding)
		}
		g.tensor(name("ffn_norm"), 0, ggufEmbedding)
		g.tensor(name("ffn_gate"), 0.3, ggufEmbedding, ggufForward)
		g.tensor(name("ffn_up"), 0.3, ggufEmbedding, ggufForward)
		g.tensor(name("ffn_down"), 0.3, ggufForward, ggufEmbedding)
	}
	if err := os.WriteFile(path, g.file(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// gguf collects the parts of a file.
type gguf struct {
	random        *rand.Rand
	keys, tensors uint64
	meta, index   bytes.Buffer
	data          bytes.Buffer
}

func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		_ = binary.Write(b, binary.LittleEndian, v) // a buffer takes everything
	}
}

func (g *gguf) string(s string) {
	put(&g.meta, uint64(len(s)))
	g.meta.WriteString(s)
}

// key adds a metadata key; kind is GGUF's number of the value's type.
func (g *gguf) key(name string, kind uint32, values ...any) {
	g.keys++
	g.string(name)
	put(&g.meta, kind)
	put(&g.meta, values...)
}

func (g *gguf) text(name, value string) {
	g.key(name, 8)
	g.string(value)
}

func (g *gguf) number(name string, value uint32) { g.key(name, 4, value) }

// tensor adds a tensor of random weights in a span, of ones when the span is 0.
func (g *gguf) tensor(name string, span float32, sizes ...int) {
	g.tensors++
	put(&g.index, uint64(len(name)))
	g.index.WriteString(name)
	put(&g.index, uint32(len(sizes)))
	n := 1
	for _, size := range sizes {
		put(&g.index, uint64(size))
		n *= size
	}
	put(&g.index, uint32(0), uint64(g.data.Len()))
	weights := make([]float32, n)
	for i := range weights {
		weights[i] = 1
		if span > 0 {
			weights[i] = (g.random.Float32() - 0.5) * span
		}
	}
	put(&g.data, weights)
	align(&g.data)
}

func align(b *bytes.Buffer) { b.Write(make([]byte, (ggufAlign-b.Len()%ggufAlign)%ggufAlign)) }

func (g *gguf) file() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	put(&b, uint32(3), g.tensors, g.keys)
	b.Write(g.meta.Bytes())
	b.Write(g.index.Bytes())
	align(&b)
	b.Write(g.data.Bytes())
	return b.Bytes()
}
