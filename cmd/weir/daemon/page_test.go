package daemon

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weir/cmd/weir/status/browsertest"
	"weir/deployments/sandbox"
	"weir/deployments/sandbox/sandboxtest"
)

// TestStatusPage looks at the page of a Weir that is busy, as somebody does who has to give a password.
func TestStatusPage(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, flavor sandbox.Flavor) {
		w := newWorld(t, sandbox.Options{Flavor: flavor}, func(c *Config) {
			c.AdminAuth = AdminAuth{User: "ops", Password: testPassword}
		})
		d, p := w.shop()
		p.warm(one)
		home := w.weir.AdminURL()
		page := browsertest.Start(t).Open(t, strings.Replace(home, "://", "://ops:"+strings.ReplaceAll(testPassword, " ", "%20")+"@", 1), browsertest.Look{Width: 1280, Height: 900})
		page.Wait(`document.body.dataset.link === "live"`)
		if word := page.Text("#state-word"); word != "Serving from the cache" {
			t.Errorf("the page says %q", word)
		}
		quiet := w.busy()
		otherThan(page, "#hit-ratio", "–")
		otherThan(page, "#statements-per-second", page.Text("#statements-per-second"))
		otherThan(page, "#lag-p99", "–")
		d.run("ALTER TABLE shop.t ADD COLUMN secret VARCHAR(20) DEFAULT 'hush-hush'")
		page.Wait(`document.querySelector("#ddl").innerText.includes("ALTER TABLE shop.t")`)
		page.Wait(`document.querySelector("#statements").innerText.includes("SELECT v FROM t WHERE id = ?")`)
		page.Wait(`document.querySelector("#tables").innerText.includes("shop.t")`)
		quiet()
		page.Picture(filepath.Join(t.ArtifactDir(), fmt.Sprintf("%s.png", flavor)))
		if wrong := page.Audit(); len(wrong) > 0 {
			t.Errorf("the page: %s", strings.Join(wrong, "\n"))
		}
		if html := browsertest.Eval[string](page, "document.documentElement.outerHTML"); strings.Contains(html, "hush") || strings.Contains(html, "4711") {
			t.Error("literals of statements are on the page")
		}
		if problems, strangers := page.Problems(), page.Strangers(home); len(problems)+len(strangers) > 0 {
			t.Errorf("problems %q, requests to others %q", problems, strangers)
		}
		w.stop()
		page.Wait(`document.body.dataset.link === "lost"`)
	})
}

// otherThan returns when the text of an element is another one.
func otherThan(page *browsertest.Page, selector, from string) {
	page.Wait(fmt.Sprintf("document.querySelector(%q).innerText.trim() !== %q", selector, from))
}

// busy has somebody read and somebody write, until it is told to end.
func (w *world) busy() (quiet func()) {
	ctx, stop := context.WithCancel(context.Background())
	var both sync.WaitGroup
	loop := func(c *client, every time.Duration, text string) {
		both.Go(func() {
			tick := time.NewTicker(every)
			defer tick.Stop()
			for i := 0; ctx.Err() == nil; i++ {
				c.ask(fmt.Sprintf(text, 4711+i%7))
				<-tick.C
			}
		})
	}
	loop(w.proxy("app", "shop"), 5*time.Millisecond, "SELECT v FROM t WHERE id = %d")
	loop(w.direct("app", "shop"), 50*time.Millisecond, "REPLACE INTO t (id, v) VALUES (%d, UUID_SHORT())")
	return func() { stop(); both.Wait() }
}
