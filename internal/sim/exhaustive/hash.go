package exhaustive

import "reflect"

// hasher makes a number of everything in a world, unexported fields of the
// protocol's state included.
type hasher struct{ sum uint64 }

func (h *hasher) of(w *world) uint64 {
	h.sum = 0xcbf29ce484222325
	v := reflect.ValueOf(w).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() != reflect.Array {
			h.value(f)
		}
	}
	nodes := reflect.ValueOf(w.nodes[:w.members])
	h.value(nodes)
	return h.sum
}

func (h *hasher) word(x uint64) {
	h.sum = (h.sum ^ x) * 0x9e3779b97f4a7c15
	h.sum ^= h.sum >> 29
}

func (h *hasher) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int, reflect.Int64, reflect.Int8:
		h.word(uint64(v.Int()))
	case reflect.Uint64, reflect.Uint8:
		h.word(v.Uint())
	case reflect.Bool:
		if v.Bool() {
			h.word(1)
		} else {
			h.word(2)
		}
	case reflect.String:
		text := v.String()
		h.word(uint64(len(text)))
		for i := range len(text) {
			h.word(uint64(text[i]))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			h.value(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			h.value(v.Index(i))
		}
	case reflect.Slice:
		h.word(uint64(v.Len()))
		for i := range v.Len() {
			h.value(v.Index(i))
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			h.word(3)
			return
		}
		h.value(v.Elem())
	default:
		panic("a world holds a " + v.Kind().String())
	}
}
