// Package docs has the manual's pages, so that weir help shows what the repository does.
package docs

import "embed"

// Pages are the files of this folder that are in Markdown.
//
//go:embed *.md
var Pages embed.FS
