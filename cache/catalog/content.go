package catalog

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// Content returns the digest of everything that resolution reads of the catalog. It does
// not depend on the files of the catalog, nor on the order of its blobs. The result is
// cached, and indexes have it. The error is that of the context.
func (s *Snapshot) Content(ctx context.Context) (string, error) {
	if known := s.content.Load(); known != nil {
		return *known, nil
	}
	hash := sha256.New()
	w := bufio.NewWriter(hash)
	for p := range s.Packages() {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		s.writePackage(w, p)
	}
	var unusable []Fault
	for _, f := range s.faults {
		if f.Quarantines {
			f = f.WithoutFile()
			f.Message = "" // it may name other files
			unusable = append(unusable, f)
		}
	}
	for _, f := range sortFaults(unusable) {
		write(w, "fault", string(f.Code), f.Package, f.Channel, f.Bundle, strconv.Itoa(f.Property), f.Path)
	}
	for _, l := range s.lost {
		write(w, "lost", l.API.Group, l.API.Version, l.API.Kind, l.Package, l.Bundle)
	}
	w.Flush()
	digest := "sha256:" + hex.EncodeToString(hash.Sum(nil))
	s.content.Store(&digest)
	return digest, nil
}

// writePackage writes all of a package to the digest.
func (s *Snapshot) writePackage(w *bufio.Writer, p *Package) {
	write(w, "package", p.Name, p.DefaultChannel, p.Deprecation)
	for _, l := range p.Lifecycles {
		write(w, "lifecycle", l.Minor)
		for _, phase := range l.Phases {
			write(w, "phase", phase.Name, phase.Start, phase.End)
		}
		for _, platform := range l.Platforms {
			write(w, append([]string{"platform", platform.Name}, platform.Versions...)...)
		}
	}
	for _, c := range p.Channels {
		write(w, "channel", c.Name, c.Deprecation)
		for i := range c.Entries {
			e := &c.Entries[i]
			write(w, "entry", e.Name, e.Replaces, e.SkipRange.Text())
			write(w, e.Skips...)
		}
	}
	for _, id := range p.Bundles {
		b := s.Bundle(id)
		write(w, "bundle", b.Name, b.Image, b.Deprecation)
		for _, property := range b.Properties.Canonical() {
			writeSize(w, 3) // as write does, without a copy of the value
			writeText(w, "property")
			writeText(w, property.Type)
			writeSize(w, len(property.Value))
			w.Write(property.Value)
		}
	}
}

// write writes texts with their lengths, so that different lists differ.
func write(w *bufio.Writer, texts ...string) {
	writeSize(w, len(texts))
	for _, text := range texts {
		writeText(w, text)
	}
}

func writeText(w *bufio.Writer, text string) {
	writeSize(w, len(text))
	w.WriteString(text)
}

func writeSize(w *bufio.Writer, n int) { w.Write(binary.AppendUvarint(w.AvailableBuffer(), uint64(n))) }
