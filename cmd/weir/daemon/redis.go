package daemon

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"go.yaml.in/yaml/v3"

	"weir/cache/redistier"
)

// Redis is the section of that name: a second tier that is shared with other Weirs. There is none without addrs.
type Redis struct {
	Addrs            []string  `yaml:"addrs"`
	Cluster          bool      `yaml:"cluster"`
	MasterName       string    `yaml:"master_name"`
	Username         string    `yaml:"username"`
	Password         Secret    `yaml:"password"`
	PasswordFile     string    `yaml:"password_file"`
	SentinelUsername string    `yaml:"sentinel_username"`
	SentinelPassword Secret    `yaml:"sentinel_password"`
	DB               Count     `yaml:"db"`
	TLS              ServerTLS `yaml:"tls"`

	Namespace    string   `yaml:"namespace"`
	Budget       Duration `yaml:"budget"`
	TTL          Duration `yaml:"ttl"`
	MinCost      MinCost  `yaml:"min_cost"`
	CompressOver Size     `yaml:"compress_over"`
	// MaxValue is that of query_cache_limit if it is 0.
	MaxValue  Size `yaml:"max_value"`
	QueueSize Size `yaml:"queue_size"`

	WarmWindow Duration `yaml:"warm_window"`
	SaveOnStop bool     `yaml:"save_on_stop"`
}

// MinCost is a duration, or auto.
type MinCost time.Duration

// UnmarshalYAML implements [yaml.Unmarshaler].
func (m *MinCost) UnmarshalYAML(n *yaml.Node) error {
	if n.Value == "auto" {
		*m = MinCost(redistier.MinCostAuto)
		return nil
	}
	v, err := time.ParseDuration(n.Value)
	if err != nil || v < 0 {
		return fmt.Errorf("line %d: %q is not auto, and not a duration such as 500us or 2ms; 0s is everything", n.Line, n.Value)
	}
	*m = MinCost(v)
	return nil
}

func defaultRedis() Redis {
	d := redistier.DefaultConfig()
	return Redis{
		TLS:       ServerTLS{Mode: tlsDisabled},
		Namespace: d.Namespace, Budget: Duration(d.Budget), TTL: Duration(d.TTL), MinCost: MinCost(d.MinCost),
		CompressOver: Size(d.CompressOver), QueueSize: Size(d.QueueBytes),
		WarmWindow: Duration(d.WarmWindow), SaveOnStop: d.SaveOnStop,
	}
}

// enabled reports whether there is a second tier.
func (r Redis) enabled() bool { return len(r.Addrs) > 0 }

// validateRedis also refuses a section that says how and not where.
func (c *Config) validateRedis() error {
	r := c.Redis
	if !r.enabled() {
		if !reflect.DeepEqual(r, defaultRedis()) {
			return errors.New("redis.addrs is missing; without it the section redis is of no use")
		}
		return nil
	}
	if r.TLS.Mode == tlsPreferred {
		return errors.New("redis.tls.mode is preferred, which Redis cannot negotiate; it must be disabled, required, verify_ca or verify_identity")
	}
	if err := r.TLS.validate("redis.tls"); err != nil {
		return err
	}
	if r.MaxValue > c.Cache.Limit {
		return fmt.Errorf("redis.max_value (%d bytes) is larger than query_cache_limit (%d bytes); no such result is stored", r.MaxValue, c.Cache.Limit)
	}
	return c.redisConfig().Validate()
}

// redisTier is the configuration of the second tier, with what is in the files of redis.tls.
func (c *Config) redisTier() (redistier.Config, error) {
	cfg := c.redisConfig()
	var err error
	cfg.TLS, err = c.Redis.TLS.config("redis.tls", "") // each server's certificate is for the host that it is reached by
	return cfg, err
}

func (c *Config) redisConfig() redistier.Config {
	r, cfg := c.Redis, redistier.DefaultConfig()
	cfg.Addrs, cfg.Cluster, cfg.MasterName, cfg.DB = r.Addrs, r.Cluster, r.MasterName, int(r.DB)
	cfg.Username, cfg.Password = r.Username, string(r.Password)
	cfg.SentinelUsername, cfg.SentinelPassword = r.SentinelUsername, string(r.SentinelPassword)
	cfg.Namespace, cfg.Budget, cfg.TTL = r.Namespace, time.Duration(r.Budget), time.Duration(r.TTL)
	cfg.MinCost, cfg.CompressOver, cfg.QueueBytes = time.Duration(r.MinCost), int64(r.CompressOver), int64(r.QueueSize)
	cfg.WarmWindow, cfg.SaveOnStop = time.Duration(r.WarmWindow), r.SaveOnStop
	if cfg.MaxValue = int64(r.MaxValue); cfg.MaxValue == 0 {
		cfg.MaxValue = min(int64(c.Cache.Limit), redistier.MaxMaxValue)
	}
	return cfg
}
