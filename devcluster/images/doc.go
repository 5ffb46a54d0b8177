// Package images makes container images from Debian packages under the names
// that users' clusters know (docker.io/library/postgres:17 and so on), laid out
// like the official ones, and runs commands inside them without a container
// engine.
//
// Where to start reading: recipe.go says what an image is made of, the
// recipe_*.go files list them, build.go makes them, run.go runs them, and main.go
// is the command line.
//
// The images follow the Dockerfiles of docker-library: users and uids, paths,
// environment, volumes, and what is absent. They differ in that: they have a
// short docker-entrypoint.sh of our own and no gosu; PostgreSQL has no
// just-in-time compiler (libLLVM would be two thirds of the image) and keeps
// of Perl only perl-base; MySQL has no mysqlsh, which Debian does not package;
// documentation, manuals and translations are left out.
//
// It refuses to know clusters, nodes and containerd.
package images
