// Package archive writes container images as docker-archive tars without a
// container engine: root-filesystem tars or lists of files become layers, and
// layers with a configuration become one file that `docker load`, `kind load
// image-archive`, `minikube image load` and `ctr images import` read.
//
// Output is deterministic: entries are sorted, times are fixed, and no name of
// a user, host or build folder is recorded, so equal inputs give equal bytes.
//
// It knows the file format only. It does not know what is in an image, where it
// comes from, or where it goes; see package images for that. Start with Image.
package archive
