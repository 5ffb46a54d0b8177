package images

// Cached lists those known images that are in the cache with their present
// recipe.
func Cached(cacheDir string) []Image {
	var found []Image
	for _, r := range recipes() {
		if rec, err := lookUp(cacheDir, r); err == nil {
			found = append(found, rec.Image)
		}
	}
	return found
}
