package redistier

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// noteTimeout is for reading or writing notes: no client waits for that.
const noteTimeout = time.Second

// noteGrace is for how long a note stays that has expired by a clock which may be wrong.
const noteGrace = time.Hour

// errNoSource is for notes about a source that is not known yet.
var errNoSource = errors.New("notes are kept for each source, and none is followed yet")

// Notes are what Weirs that follow one source leave for each other beside results: small texts under a name and a field, such
// as where each of them is in the stream. Like everything in Redis they may be lost, or be old: a note may cost effort, and
// must never decide what is served.
type Notes struct {
	client redis.UniversalClient
	names  names
	source string
}

// NewNotes returns the notes about a source, for who has no results there. They are those of the tiers with that namespace.
func NewNotes(client redis.UniversalClient, namespace, source string) Notes {
	return Notes{client, newNames(namespace, ""), source} // names of notes have nothing to do with the dialect
}

// Notes returns those of a source, for who knows its identity before it is followed.
func (t *Tier) Notes(source string) Notes { return Notes{t.client, t.names, source} }

// Leave is [Notes.Leave] for the source that is followed.
func (t *Tier) Leave(ctx context.Context, name, field string, value []byte, keep time.Duration) error {
	return t.Notes(t.places.Source()).Leave(ctx, name, field, value, keep)
}

// Left is [Notes.Left] for the source that is followed.
func (t *Tier) Left(ctx context.Context, name string) (map[string][]byte, error) {
	return t.Notes(t.places.Source()).Left(ctx, name)
}

// Drop is [Notes.Drop] for the source that is followed.
func (t *Tier) Drop(ctx context.Context, name string, fields ...string) error {
	return t.Notes(t.places.Source()).Drop(ctx, name, fields...)
}

// Leave writes a note, in place of one with the same name and field, to be kept for about as long as keep. All notes of a
// name should be kept equally long: Redis has one time to live for all of them.
func (n Notes) Leave(ctx context.Context, name, field string, value []byte, keep time.Duration) error {
	return n.do(ctx, "leave a note in Redis", func(ctx context.Context) error {
		key := n.names.notes(n.source, name)
		pipe := n.client.Pipeline()
		pipe.HSet(ctx, key, field, sealNote(value, time.Now().Add(keep)))
		pipe.PExpire(ctx, key, keep)
		_, err := pipe.Exec(ctx)
		return err
	})
}

// Left returns the notes of a name by their fields, none if there are none. Those that have expired are left out.
func (n Notes) Left(ctx context.Context, name string) (left map[string][]byte, err error) {
	err = n.do(ctx, "read notes in Redis", func(ctx context.Context) error {
		key := n.names.notes(n.source, name)
		all, err := n.client.HGetAll(ctx, key).Result()
		if err != nil {
			return err
		}
		var gone []string
		left, gone = openNotes(all, time.Now())
		if len(gone) > 0 {
			_ = n.client.HDel(ctx, key, gone...).Err() // whoever reads them next tries again
		}
		return nil
	})
	return left, err
}

// Drop removes notes.
func (n Notes) Drop(ctx context.Context, name string, fields ...string) error {
	if len(fields) == 0 {
		return nil
	}
	return n.do(ctx, "drop notes in Redis", func(ctx context.Context) error {
		return n.client.HDel(ctx, n.names.notes(n.source, name), fields...).Err()
	})
}

func (n Notes) do(ctx context.Context, what string, f func(context.Context) error) error {
	if n.source == "" {
		return errNoSource
	}
	ctx, cancel := context.WithTimeout(ctx, noteTimeout)
	defer cancel()
	if err := f(ctx); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// sealNote puts in front when the note expires, in milliseconds of the Unix time: Redis has such a thing for fields only
// since its version 7.4.
func sealNote(value []byte, expires time.Time) []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(value)), uint64(expires.UnixMilli()))
	return append(b, value...)
}

// openNotes tells notes from those that have expired; gone are the fields that should be removed.
func openNotes(all map[string]string, now time.Time) (left map[string][]byte, gone []string) {
	left = make(map[string][]byte, len(all))
	for field, sealed := range all {
		if len(sealed) < 8 {
			gone = append(gone, field)
			continue
		}
		switch over := sinceUnix(int64(binary.BigEndian.Uint64([]byte(sealed[:8]))), now); {
		case over == 0:
			left[field] = []byte(sealed[8:])
		case over > noteGrace:
			gone = append(gone, field)
		}
	}
	return left, gone
}
