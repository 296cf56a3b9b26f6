package redistier

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// writers write at one time. Two keep Redis busy while one encodes.
	writers = 2
	// writeEntries and writeBytes bound what is in one pipeline, and so what a lookup that comes after it waits for.
	writeEntries = 64
	writeBytes   = 1 << 20
	// writeTimeout is for a pipeline. Nobody waits for it.
	writeTimeout = 2 * time.Second
)

// write writes what is offered until ctx ends.
func (t *Tier) write(ctx context.Context) {
	var buf []byte
	for {
		batch := t.queue.take(ctx, writeEntries, writeBytes)
		if batch == nil {
			return
		}
		buf = t.writeBatch(ctx, batch, buf[:0])
		t.queue.done(batch)
		if cap(buf) > 4*writeBytes {
			buf = nil // one large value is no reason to keep as much for ever
		}
	}
}

// written is a value on its way, and the server that it goes to.
type written struct {
	command *redis.StatusCmd
	to      *node
	size    int
}

// writeBatch puts the values into buf, which it returns for the next time.
func (t *Tier) writeBatch(ctx context.Context, batch []offer, buf []byte) []byte {
	pipe := t.client.Pipeline()
	commands := make([]written, 0, len(batch))
	for _, o := range batch {
		start := len(buf)
		name, to, why := t.prepare(ctx, o, &buf)
		if why != "" {
			t.metrics.write(why)
			continue
		}
		value := buf[start:]
		commands = append(commands, written{pipe.Set(ctx, name, value, t.cfg.TTL), to, len(value)})
	}
	var failed error
	if len(commands) > 0 {
		ctx, cancel := context.WithTimeout(ctx, writeTimeout) // that it took long to compress is not Redis's fault
		defer cancel()
		_, failed = pipe.Exec(ctx)
	}
	for _, w := range commands {
		t.account(w, failed)
	}
	return buf
}

// prepare appends the value to buf, unless it is not to be written. Only here is it asked where the mark is in the source's
// history: that may have become clear while the entry waited.
func (t *Tier) prepare(ctx context.Context, o offer, buf *[]byte) (name string, to *node, why writeOutcome) {
	place, ok := t.places.Place(o.at)
	if !ok || len(place.Source) > maxName {
		return "", nil, writeUnplaced
	}
	name = t.names.value(place.Source, o.entry.Key())
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	to, err := t.nodes.of(ctx, name)
	if errors.Is(err, errOut) {
		return "", nil, writeOpen
	}
	if err != nil {
		return "", nil, writeFailed
	}
	*buf = t.codec.encode(*buf, o.entry, place, o.read)
	return name, to, ""
}

// account counts what became of a value. A server that does not take it in time, or cannot be reached, is as sick as one that
// is late with a lookup; one that says no, such as for lack of memory, may well be read from. That it takes values does not make
// it well: it has much longer for that than for a lookup.
//
// A command without an error has not been sent if the pipeline failed before, see [nodes.read]: only OK is success.
func (t *Tier) account(w written, failed error) {
	var said redis.Error
	switch err := w.command.Err(); {
	case err == nil && w.command.Val() == "OK":
		t.metrics.write(writeDone)
		t.metrics.written.Add(float64(w.size))
	case errors.As(err, &said):
		t.metrics.write(writeRefused)
	default:
		t.metrics.write(writeFailed)
		t.nodes.failed(w.to, cmp.Or(err, failed))
	}
}
