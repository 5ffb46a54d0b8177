package v1

// Plain returns a map whose values have a type for their schema's sake as the
// map of strings that it is; nil stays nil. The result is a copy.
func Plain[M ~map[string]V, V ~string](m M) map[string]string {
	if m == nil {
		return nil
	}
	plain := make(map[string]string, len(m))
	for key, value := range m {
		plain[key] = string(value)
	}
	return plain
}
