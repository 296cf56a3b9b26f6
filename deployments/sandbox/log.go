package sandbox

import (
	"bytes"
	"fmt"
	"os"
)

// tailLines is how much of a log goes into a message.
const tailLines = 30

// tail returns the last lines of the log at path, or why it cannot be read.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Sprintf("(no log: %v)", err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-tailLines):], []byte("\n")))
}
