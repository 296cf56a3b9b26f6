package browsertest

import _ "embed" // the audit

//go:embed audit.js
var auditJS string

// Audit returns what is wrong with the page for those who do not see it, or not well: names that are missing, headings out of
// order, contrast under what WCAG 2.1 AA asks for, and what does not fit the window.
func (p *Page) Audit() []string {
	p.t.Helper()
	return Eval[[]string](p, auditJS)
}
