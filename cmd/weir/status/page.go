package status

import (
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"strings"
)

var (
	//go:embed assets/page.html
	pageHTML string
	//go:embed assets/page.css
	pageCSS string
	//go:embed assets/format.js
	formatJS string
	//go:embed assets/table.js
	tableJS string
	//go:embed assets/chart.js
	chartJS string
	//go:embed assets/live.js
	liveJS string
)

// page is the status page, in one piece: it asks nobody but this Weir for anything. Its policy lets the browser run the one
// script and use the one style that are in it, by their hashes, so that nothing that gets into it by mistake does anything.
type page struct {
	before, after string // the text form stands between them, for browsers without scripts
	policy        string
}

func newPage() *page {
	script := "\"use strict\";(() => {\n" + formatJS + tableJS + chartJS + liveJS + "})();"
	whole := strings.NewReplacer("{{style}}", pageCSS, "{{script}}", script).Replace(pageHTML)
	before, after, _ := strings.Cut(whole, "{{text}}")
	return &page{before, after, fmt.Sprintf(
		"default-src 'none'; script-src '%s'; style-src '%s'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		hashOf(script), hashOf(pageCSS))}
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// serveIndex gives browsers the page, and all others the text form.
func (s *Sampler) serveIndex(w http.ResponseWriter, r *http.Request) {
	text := "Weir is just starting; ask again in a second.\n"
	if o, ok := s.Last(); ok {
		text = o.Text()
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Vary", "Accept")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text)) // whoever has gone does not want it
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", s.page.policy)
	_, _ = w.Write([]byte(s.page.before + html.EscapeString(text) + s.page.after))
}
