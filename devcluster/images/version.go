package images

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/myuser/db-operator/devcluster/archive"
)

// versionOf reads the version of a package from dpkg's database.
func versionOf(files []archive.File, name string) (string, error) {
	for _, file := range files {
		if file.Path != "var/lib/dpkg/status" || file.Open == nil {
			continue
		}
		content, err := file.Open()
		if err != nil {
			return "", fmt.Errorf("reading the package database: %w", err)
		}
		text, err := io.ReadAll(content)
		if err := errors.Join(err, content.Close()); err != nil {
			return "", fmt.Errorf("reading the package database: %w", err)
		}
		if version := versionIn(string(text), name); version != "" {
			return version, nil
		}
	}
	return "", fmt.Errorf("package %s was not installed", name)
}

// versionIn finds a package's version in the text of dpkg's status file.
func versionIn(status, name string) string {
	found := false
	for _, line := range strings.Split(status, "\n") {
		switch field, value, _ := strings.Cut(line, ": "); field {
		case "Package":
			found = value == name
		case "Version":
			if found {
				return value
			}
		}
	}
	return ""
}

// upstreamVersion drops epoch and Debian revision: "1:17.12-0+deb13u1" is 17.12.
func upstreamVersion(version string) string {
	if _, after, found := strings.Cut(version, ":"); found {
		version = after
	}
	if dash := strings.LastIndexByte(version, '-'); dash >= 0 {
		version = version[:dash]
	}
	return version
}
