package images

import (
	"fmt"
	"slices"
	"strings"
)

func recipes() []recipe {
	return slices.Concat(postgresRecipes, mysqlRecipes)
}

// Known lists the names of the images that Build can make.
func Known() []string {
	var names []string
	for _, r := range recipes() {
		names = append(names, r.name())
	}
	return names
}

// recipeOf finds a recipe by its full name or as people write it: postgres:17.
func recipeOf(name string) (recipe, error) {
	for _, r := range recipes() {
		if name == r.name() || name == strings.TrimPrefix(r.name(), "docker.io/library/") {
			return r, nil
		}
	}
	return recipe{}, fmt.Errorf("no recipe for image %q; known: %s", name, strings.Join(Known(), ", "))
}
