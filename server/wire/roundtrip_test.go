package wire_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/codebot-ls/codebot-ls/server/wire"
)

// carried lists every type that a message can carry at its top.
func carried() []reflect.Type {
	types := []reflect.Type{
		reflect.TypeFor[wire.ClientCapabilities](), reflect.TypeFor[wire.ServerCapabilities](),
		reflect.TypeFor[wire.ActionError](), reflect.TypeFor[wire.ModelError](),
	}
	seen := map[reflect.Type]bool{}
	for _, m := range wire.Methods() {
		for _, t := range []reflect.Type{m.Params, m.Result} {
			if t != nil && !seen[t] {
				seen[t] = true
				types = append(types, t)
			}
		}
	}
	return types
}

// A member with a misspelt tag, an unexported one or one that two members share
// does not come back.
func TestEveryTypeComesBackAsItWas(t *testing.T) {
	for _, typ := range carried() {
		for i, variant := range wire.SessionUpdateVariants() {
			if i > 0 && typ != reflect.TypeFor[wire.SessionUpdateParams]() {
				break
			}
			name := typ.Name()
			if typ == reflect.TypeFor[wire.SessionUpdateParams]() {
				name += "/" + variant.UpdateKind()
			}
			t.Run(name, func(t *testing.T) {
				v := reflect.New(typ)
				(&filler{variant: variant}).fill(t, v.Elem())
				data, err := json.Marshal(v.Interface())
				if err != nil {
					t.Fatal(err)
				}
				back := reflect.New(typ)
				if err := json.Unmarshal(data, back.Interface()); err != nil {
					t.Fatalf("reading %s: %v", data, err)
				}
				if !reflect.DeepEqual(v.Interface(), back.Interface()) {
					t.Errorf("%s came back as %+v, was %+v", data, back.Elem(), v.Elem())
				}
			})
		}
	}
}

// Lists are never null, and what has no value is absent (the protocol's rules for
// all messages).
func TestZeroValuesHaveNoNull(t *testing.T) {
	for _, typ := range carried() {
		if typ == reflect.TypeFor[wire.SessionUpdateParams]() {
			continue // a union has no zero value; the golden files have each variant
		}
		v := reflect.New(typ)
		giveValues(v.Elem())
		data, err := json.Marshal(v.Interface())
		if err != nil {
			t.Errorf("%s: %v", typ.Name(), err)
		}
		if bytes.Contains(data, []byte("null")) {
			t.Errorf("%s: %s", typ.Name(), data)
		}
	}
}

// giveValues sets the members that are JSON as it came, which have no zero value.
func giveValues(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Type() == reflect.TypeFor[jsontext.Value]():
			f.Set(reflect.ValueOf(jsontext.Value(`{}`)))
		case f.Kind() == reflect.Struct && f.Type() != reflect.TypeFor[wire.SessionUpdate]():
			giveValues(f)
		}
	}
}

// filler gives every member a value of its own, none of them zero.
type filler struct {
	n       int
	variant wire.SessionUpdateVariant
}

func (f *filler) fill(t *testing.T, v reflect.Value) {
	f.n++
	if v.Type() == reflect.TypeFor[wire.SessionUpdate]() {
		filled := reflect.New(reflect.TypeOf(f.variant).Elem())
		f.fill(t, filled.Elem())
		v.Set(reflect.ValueOf(wire.SessionUpdate{Value: filled.Interface().(wire.SessionUpdateVariant)}))
		return
	}
	if v.Type() == reflect.TypeFor[jsontext.Value]() {
		v.Set(reflect.ValueOf(jsontext.Value(fmt.Sprintf(`{"n":%d}`, f.n))))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("v%d", f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Float64:
		v.SetFloat(float64(f.n) + 0.5)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(t, key)
		f.fill(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Interface:
		v.Set(reflect.ValueOf(fmt.Sprintf("any%d", f.n)))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(t, v.Index(0))
		f.fill(t, v.Index(1))
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(t, v.Field(i))
		}
	default:
		t.Fatalf("a %s cannot travel: give it a type of the protocol", v.Type())
	}
}
