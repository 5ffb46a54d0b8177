package register

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// object is a Kubernetes object as JSON. It is not decoded into structs where
// it will be written back, because a replacement loses every field that the
// struct lacks.
type object map[string]any

func parseObject(text []byte) (object, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // a 64-bit number must come back as it went
	var o object
	if err := decoder.Decode(&o); err != nil {
		return nil, err
	}
	if o == nil {
		return nil, fmt.Errorf("null is no object")
	}
	return o, nil
}

func (o object) encode() ([]byte, error) { return json.Marshal(map[string]any(o)) }

// child is the object in this field, made if need be.
func (o object) child(name string) object {
	c, ok := o[name].(map[string]any)
	if !ok {
		c = map[string]any{}
		o[name] = c
	}
	return c
}

func (o object) text(name string) string {
	s, _ := o[name].(string)
	return s
}

func (o object) uid() string     { return o.child("metadata").text("uid") }
func (o object) version() string { return o.child("metadata").text("resourceVersion") }

func (o object) annotations() object { return o.child("metadata").child("annotations") }
