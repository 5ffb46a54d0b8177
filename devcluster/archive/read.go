package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
)

// Read lists the entries of an uncompressed root-filesystem tar. The entries
// read their content from source when it is wanted, so source must stay open
// and unchanged for as long as they are used. The root folder itself, extended
// attributes and times are left out.
func Read(source io.ReaderAt, size int64) ([]File, error) {
	section := io.NewSectionReader(source, 0, size)
	reader := tar.NewReader(section)
	var files []File
	regular := map[string]int{}
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading a root-filesystem tar: %w", err)
		}
		file, err := fileOf(header)
		if err != nil {
			return nil, fmt.Errorf("reading a root-filesystem tar: %w", err)
		}
		if file.Path == "" {
			continue
		}
		switch file.Type {
		case tar.TypeReg:
			// archive/tar reads no further than the header, so the content
			// begins where the section stands.
			offset, err := section.Seek(0, io.SeekCurrent)
			if err != nil {
				return nil, fmt.Errorf("finding the content of %s: %w", file.Path, err)
			}
			length := file.Size
			file.Open = func() (io.ReadCloser, error) {
				return sectionCloser{io.NewSectionReader(source, offset, length)}, nil
			}
			regular[file.Path] = len(files)
		case tar.TypeLink:
			if target, found := regular[file.Link]; found {
				file.Size, file.Open = files[target].Size, files[target].Open
			}
		}
		files = append(files, file)
	}
}

func fileOf(header *tar.Header) (File, error) {
	name, err := cleanPath(header.Name)
	if err != nil {
		return File{}, err
	}
	file := File{
		Path: name, Type: header.Typeflag, Mode: header.Mode & 0o7777,
		UID: header.Uid, GID: header.Gid, Link: header.Linkname,
		Major: header.Devmajor, Minor: header.Devminor,
	}
	switch header.Typeflag {
	case tar.TypeReg:
		file.Size = header.Size
	case tar.TypeLink:
		file.Link, err = cleanPath(header.Linkname)
	case tar.TypeDir, tar.TypeSymlink, tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
	default:
		err = fmt.Errorf("entry %q has the unknown type %q", header.Name, header.Typeflag)
	}
	return file, err
}

// sectionCloser keeps the random access of a section, so that a tar inside a tar
// can be read in place.
type sectionCloser struct{ *io.SectionReader }

func (sectionCloser) Close() error { return nil }
