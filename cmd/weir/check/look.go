package check

import (
	"context"
	"os"
	"strings"
	"sync"

	"weir/cmd/weir/daemon"
)

// Progress is told what is being asked; "" when nothing is. It may be called from several goroutines, and must not block.
type Progress func(what string)

// Look asks everybody that the configuration names. What does not answer is in what it returns, too; ctx bounds it all.
func Look(ctx context.Context, cfg daemon.Config, file string, progress Progress) *World {
	w := &World{Config: cfg, File: file, Errant: map[string]string{}}
	w.lookAtFile()
	access, err := cfg.Access()
	if err != nil {
		w.FileErr = err
		return w
	}
	var looks sync.WaitGroup
	for _, a := range access {
		s := &Server{Addr: a.Addr, Source: a.Source, Backend: a.Backend}
		w.Servers = append(w.Servers, s)
		looks.Go(func() { look(ctx, s, a, cfg, progress) })
	}
	looks.Go(func() { w.Redis = lookAtRedis(ctx, &cfg) })
	looks.Go(func() { w.Ports = lookAtPorts(ctx, cfg) })
	looks.Wait()
	w.lookForErrant(ctx, access)
	progress("")
	return w
}

// Unread is the world of somebody whose configuration cannot be used.
func Unread(file string, err error) *World { return &World{File: file, FileErr: err} }

// lookAtFile looks who may read the file. A password that comes from elsewhere is not in it.
func (w *World) lookAtFile() {
	if w.File == "" {
		return
	}
	if info, err := os.Stat(w.File); err == nil {
		w.Readable = info.Mode().Perm()&0o044 != 0
	}
	if b, err := os.ReadFile(w.File); err == nil {
		w.Secret = hasSecret(b)
	}
}

// hasSecret reports whether a key that ends in password has a value of its own.
func hasSecret(file []byte) bool {
	for line := range strings.Lines(string(file)) {
		key, value, ok := strings.Cut(strings.TrimLeft(line, " -"), ":")
		value, _, _ = strings.Cut(strings.TrimSpace(value), " #")
		if ok && strings.HasSuffix(strings.TrimSpace(key), "password") && value != "" && !strings.HasPrefix(strings.Trim(value, `"'`), "${") {
			return true
		}
	}
	return strings.Contains(string(file), "{") && inlineSecret(string(file))
}

// inlineSecret is hasSecret for sections on one line, as in source: {password: secret}.
func inlineSecret(file string) bool {
	for _, rest := range strings.Split(file, "password:")[1:] {
		value := strings.TrimLeft(rest, ` "'`)
		if value != "" && value[0] != '\n' && value[0] != '$' && value[0] != '}' && value[0] != '#' {
			return true
		}
	}
	return false
}
