package workspace

import (
	"strconv"

	"github.com/tailscale/hujson"
)

// readModelInfo reads what the user knows of models.
func (d *decoder) readModelInfo(m member) {
	all, ok := d.object("model_info", m.value)
	if !ok {
		return
	}
	d.settings.ModelInfo = make(map[string]ModelInfo)
	for _, m := range d.members(all) {
		if info, ok := d.readModelEntry(m); ok {
			d.settings.ModelInfo[m.name] = info
		}
	}
}

func (d *decoder) readModelEntry(m member) (info ModelInfo, ok bool) {
	fields, ok := d.object("model_info."+m.name, m.value)
	if !ok {
		return info, false
	}
	for _, f := range d.members(fields) {
		what := "model_info." + m.name + "." + f.name
		switch f.name {
		case "context_tokens":
			info.ContextTokens = d.tokens(what, f)
		case "max_tokens":
			info.MaxTokens = d.tokens(what, f)
		case "price_input":
			info.PriceInput = d.price(what, f)
		case "price_output":
			info.PriceOutput = d.price(what, f)
		case "price_cached_read":
			info.PriceCachedRead = d.price(what, f)
		case "price_cached_write":
			info.PriceCachedWrite = d.price(what, f)
		default:
			d.unknown(f, modelInfoKeys)
		}
	}
	return info, true
}

// tokens reads a count; what is none is reported and 0.
func (d *decoder) tokens(what string, m member) int {
	n, err := strconv.Atoi(literal(m.value))
	if err != nil {
		d.wrongType(what, nounInteger, m.value)
		return 0
	}
	if n < 0 {
		d.value(m, SeverityError, CodeInvalidValue, msgNegative, what)
		return 0
	}
	return n
}

// price reads an amount; what is none is reported and 0.
func (d *decoder) price(what string, m member) float64 {
	n, err := strconv.ParseFloat(literal(m.value), 64)
	if err != nil {
		d.wrongType(what, nounNumber, m.value)
		return 0
	}
	if n < 0 {
		d.value(m, SeverityError, CodeInvalidValue, msgNegative, what)
		return 0
	}
	return n
}

// literal is a number as it stands in the file, empty for what is none.
func literal(v *hujson.Value) string {
	if l, ok := v.Value.(hujson.Literal); ok && kind(v) == '0' {
		return string(l)
	}
	return ""
}
