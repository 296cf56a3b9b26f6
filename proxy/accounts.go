package proxy

import (
	"slices"
	"sync"
	"sync/atomic"

	"weir/cache"
)

// secret is a password. It is not printed, and lives in memory alone.
type secret string

// String hides the password.
func (secret) String() string { return "..." }

// GoString hides the password.
func (secret) GoString() string { return "..." }

// account is a user together with one password. Sessions that have proved the same password share it, sessions with
// another one never do.
//
// What follows is about accounts that the backends know and Weir does not. A listed account is one that the
// configuration lists; whoever knows its password is let in. Changed means that the source's binlog has a statement
// about accounts: see [Server.accounts].
//
// # Two passwords at once
//
// The password of u has just been changed, from old to new.
//
//  1. A has proved old, B has proved new, and both are open.
//  2. A connection to a backend is made for A, with old, on a server that still takes it.
//  3. B asks for a connection. It must not get that one: it was let in for old.
//
// The password is a part of [poolKey], so that B looks in another pool. The same holds the other way round.
//
// # Hits with a password that is no longer right
//
// The key of a cached result has the user and not the password: a password, or a hash of it, must not get into a shared
// tier, and two Weirs must agree on keys.
//
//  1. A has proved old.
//  2. The password is changed. The ledger records it, and touches everything: no result from before is a hit.
//  3. B proves new, reads, and its result is stored under the key that A would use.
//  4. A asks for the same. It must not get B's result.
//
// An account carries the change of accounts as of which a backend let it in, and a session gets no hit while there was
// a later one. It asks a backend, which lets it in or says 1045. The comparison comes after the lookup: in between
// nothing can happen, as B's result is in the cache only if the change was recorded before. See [session.entitled].
//
// # A proof that crosses a change
//
//  1. A backend lets the session in, with old.
//  2. The password is changed, and the change is recorded.
//  3. The account is noted as proved.
//
// The last change is read before the login, so that the account is proved as of the one before. A backend that is not
// known to have the change, because it lags, proves nothing: its connections are doubtful, see [conn.trusted].
//
// # A login while nobody can tell
//
// With a broken stream no change is seen, and a remembered password might be taken for ever. So a password counts as
// proved only while the ledger is current; otherwise each login asks a backend.
type account struct {
	user     string
	password secret
	listed   bool
	// proved is the change of accounts as of which a backend let the account in; nil if there is none.
	proved atomic.Pointer[cache.Mark]
	// called is what a server has called it last, see [defaults]; nil if none has.
	called atomic.Pointer[string]
}

// lastCalled is what a session of the account is taken to be called until a server has said so.
func (a *account) lastCalled() string {
	if name := a.called.Load(); name != nil {
		return *name
	}
	return ""
}

// provedSince reports whether a backend has let the account in since that change of accounts.
func (a *account) provedSince(change cache.Mark) bool {
	at := a.proved.Load()
	return a.listed || at != nil && at.Epoch == change.Epoch && at.Seq >= change.Seq
}

// prove notes that a backend let the account in that had all changes up to the mark. It never takes a later proof back.
func (a *account) prove(at cache.Mark) {
	for {
		before := a.proved.Load()
		if before != nil && (before.Epoch > at.Epoch || before.Epoch == at.Epoch && before.Seq >= at.Seq) {
			return
		}
		if a.proved.CompareAndSwap(before, &at) {
			return
		}
	}
}

// maxPasswords is how many passwords of one user are remembered. MySQL's accounts have two at most; 'u'@'host1' and
// 'u'@'host2' are one account here, as the servers see one host, Weir's.
const maxPasswords = 4

// accounts are those of the configuration, or those that backends have let in since the start.
type accounts struct {
	listed map[string]*account // nil without a list

	mu         sync.Mutex
	remembered map[string][]*account // the one that was proved last comes first
}

func newAccounts(users []User) *accounts {
	a := &accounts{remembered: map[string][]*account{}}
	if len(users) > 0 {
		a.listed = map[string]*account{}
	}
	for _, u := range users {
		a.listed[u.Name] = &account{user: u.Name, password: secret(u.Password), listed: true}
	}
	return a
}

// password returns that of a listed account.
func (a *accounts) password(user string) (string, bool) {
	if l := a.listed[user]; l != nil {
		return string(l.password), true
	}
	return "", false
}

// passwords returns those with which backends have let the user in.
func (a *accounts) passwords(user string) (all []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, known := range a.remembered[user] {
		all = append(all, string(known.password))
	}
	return all
}

// of returns the account of a user who has proved a password. One that no backend has let in yet is not remembered.
func (a *accounts) of(user, password string) *account {
	if l := a.listed[user]; l != nil {
		return l
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, known := range a.remembered[user] {
		if string(known.password) == password {
			return known
		}
	}
	return &account{user: user, password: secret(password)}
}

// remember keeps an account that a backend has let in. If two sessions have proved one password at the same time, the
// first one's is kept: the other session goes on with its own, and sees its own proofs.
func (a *accounts) remember(one *account) {
	if one.listed {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.remembered[one.user]
	if slices.ContainsFunc(all, func(known *account) bool { return known.password == one.password }) {
		return
	}
	all = slices.Insert(all, 0, one)
	a.remembered[one.user] = all[:min(len(all), maxPasswords)]
}

// forget is for an account that a backend does not let in any more. Sessions that have it get no more hits.
func (a *accounts) forget(one *account) {
	if one.listed {
		return
	}
	one.proved.Store(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	left := slices.DeleteFunc(a.remembered[one.user], func(known *account) bool {
		if known.password == one.password {
			known.proved.Store(nil)
			return true
		}
		return false
	})
	if a.remembered[one.user] = left; len(left) == 0 {
		delete(a.remembered, one.user)
	}
}
