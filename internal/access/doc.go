// Package access lets those read the operator's metrics whom the API server
// lets: the bearer token is reviewed there, and so is the right to GET the
// path. It knows nothing of what it guards.
//
// The library that does the same brings much of the API server with it: a
// binary of 55 MB in place of 35, and 14 MB more of memory.
package access
