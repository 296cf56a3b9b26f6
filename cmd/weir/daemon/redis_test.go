package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weir/cache/redistier"
)

// The section redis says what the second tier gets; without it there is none.
func TestRedisSection(t *testing.T) {
	const source = "source: {addr: '127.0.0.1:3306', user: weir}\n"
	cfg, _, err := parse([]byte(source))
	if err != nil || cfg.Redis.enabled() {
		t.Fatalf("without the section: %v, enabled %v", err, cfg.Redis.enabled())
	}
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, _, err = parse([]byte(source + `
cache: {query_cache_limit: 2MiB}
redis:
  addrs: [a:1, b:2]
  username: weir
  password_file: ` + password + `
  budget: 3ms
  min_cost: 0s
  tls: {mode: required}
`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := cfg.redisTier()
	if err != nil {
		t.Fatal(err)
	}
	if !cfg.Redis.enabled() || strings.Join(got.Addrs, " ") != "a:1 b:2" || got.Username != "weir" || got.Password != "secret" ||
		got.Budget != 3*time.Millisecond || got.MinCost != 0 || got.MaxValue != 2<<20 || got.TLS == nil || got.TLS.ServerName != "" ||
		got.TTL != time.Hour || got.Namespace != "weir" || !got.SaveOnStop {
		t.Errorf("the second tier gets %+v", got)
	}
	cfg, _, err = parse([]byte(source + "redis: {addrs: ['a:1'], min_cost: auto, max_value: 1K, db: 2}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err = cfg.redisTier(); err != nil || got.MinCost != redistier.MinCostAuto || got.MaxValue != 1<<10 || got.DB != 2 || got.TLS != nil {
		t.Errorf("the second tier gets %+v, %v", got, err)
	}
}
