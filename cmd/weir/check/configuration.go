package check

import (
	"fmt"
	"strings"
)

func configurationRules() []rule {
	return []rule{
		{id: "config", where: aboutFile, world: judgeFile},
		{id: "config-readable", where: aboutFile, world: judgeReadable},
		{id: "cache-off", where: aboutFile, world: judgeCacheOff},
		{id: "max-age", where: aboutFile, world: judgeMaxAge},
		{id: "ports", where: aboutWeir, world: judgePorts},
	}
}

func judgeFile(w *World) verdict {
	switch {
	case w.FileErr != nil:
		return fail(w.FileErr.Error(), "Weir does not start, and nothing else could be looked at.", "See docs/configuration.md for the keys and their values.")
	case w.File == "":
		return verdict{}
	}
	return fine("%s", w.File)
}

func judgeReadable(w *World) verdict {
	switch {
	case w.File == "" || w.FileErr != nil || !w.Secret:
		return verdict{}
	case w.Readable:
		return warn(w.File+" has passwords, and other users may read it", "Who reads it may log in to the servers.",
			"chmod 600 "+w.File+", or take the passwords from the environment (${NAME}) or from password_file.")
	}
	return fine("%s is for its owner only", w.File)
}

func judgeCacheOff(w *World) verdict {
	if w.FileErr != nil || w.Config.Cache.Type == "" {
		return verdict{}
	}
	switch strings.ToUpper(w.Config.Cache.Type) {
	case "OBSERVE":
		return note("cache.query_cache_type is "+w.Config.Cache.Type, "Nothing is cached: Weir only counts what caching would do.", "cache: {query_cache_type: ON}")
	case "OFF", "0":
		return note("cache.query_cache_type is "+w.Config.Cache.Type, "Nothing is cached: Weir passes everything on.", "cache: {query_cache_type: ON}")
	}
	return fine("query_cache_type is %s, query_cache_size %s", w.Config.Cache.Type, sizeText(int64(w.Config.Cache.Size)))
}

func judgeMaxAge(w *World) verdict {
	if w.FileErr != nil {
		return verdict{}
	}
	if w.Config.Cache.MaxAge == 0 {
		return note("cache.max_age is 0", "What changes in no binlog (sql_log_bin=0, filters, writes on a replica) is served from the cache for ever.", "cache: {max_age: 1h}")
	}
	return fine("cache.max_age bounds what changes in no binlog")
}

func judgePorts(w *World) verdict {
	weirs := 0
	for _, p := range w.Ports {
		switch {
		case p.Weir:
			weirs++
		case p.Taken:
			return fail(fmt.Sprintf("another program listens on %s (%s)", p.Addr, p.Key), "Weir does not start.", "Stop that program, or give Weir another port: "+p.Key+" in its configuration.")
		case p.Err != nil:
			return fail(fmt.Sprintf("cannot listen on %s (%s): %v", p.Addr, p.Key, p.Err), "Weir does not start.", "Give an address of this machine, and a port that the user may use.")
		}
	}
	switch {
	case len(w.Ports) == 0:
		return verdict{}
	case weirs > 0:
		return note("a Weir runs there already", "A second one with the same ports does not start.", "For a second Weir give other ports: listen and admin.")
	}
	return fine("free")
}
