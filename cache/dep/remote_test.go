package dep

import (
	"reflect"
	"testing"

	"weir/cache"
)

func watchingRemotely() (*Watch, *cache.Ledger) {
	l := cache.NewLedger(1 << 10)
	l.Restart(1)
	l.Advance(10)
	return NewRemoteWatch(l), l
}

// W1 of the comment on NewRemoteWatch.
func TestRemoteInterestCountsFromItsAnnouncement(t *testing.T) {
	w, l := watchingRemotely()
	wantSince(t, w, "1. at first", notYet, byID)
	l.Record(150, []cache.Tag{orders.Tag(), orders.Anchor()})
	w.Recorded(150)
	wantSince(t, w, "2. after a change", notYet, byID)
	w.Followed(Interests{orders, []Want{byID}}, 200)
	wantSince(t, w, "3. announced", 200, byID)
	wantSince(t, w, "another one", notYet, byID, byState)
}

// W2: another reader is another epoch.
func TestRemoteAnnouncementEndsWithTheEpoch(t *testing.T) {
	w, l := watchingRemotely()
	w.Want(orders, []Want{byID})
	w.Followed(Interests{orders, []Want{byID}}, 200)
	w.Followed(Interests{orders, []Want{byState}}, 200)
	l.Restart(250)
	w.Restart()
	wantSince(t, w, "an interest from before", notYet, byID)
	wantSince(t, w, "one that was only announced", notYet, byState)
	w.Followed(Interests{orders, []Want{byID}}, 300)
	wantSince(t, w, "announced again", 300, byID)
}

// W3: what was announced stays true.
func TestRemoteAnnouncementStaysTrue(t *testing.T) {
	w, _ := watchingRemotely()
	w.Followed(Interests{orders, []Want{byID}}, 200)
	wantSince(t, w, "announced before it was wanted", 200, byID)
	w.Followed(Interests{orders, []Want{byID}}, 400)
	wantSince(t, w, "announced again, later", 200, byID)
	w.Forget(orders)
	wantSince(t, w, "forgotten here and wanted again", 200, byID)
}

func TestRemoteWatchAsksForWhatIsMissing(t *testing.T) {
	w, _ := watchingRemotely()
	w.Want(orders, []Want{byState, byID})
	w.Want(Fold("shop", "customers"), []Want{byID})
	customers := Interests{Fold("shop", "customers"), []Want{byID}}
	if got, want := w.Unfollowed(), []Interests{customers, {orders, []Want{byID, byState}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("at first %v is missing, want %v", got, want)
	}
	w.Followed(Interests{orders, []Want{byID}}, 20)
	if got, want := w.Unfollowed(), []Interests{customers, {orders, []Want{byState}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("then %v is missing, want %v", got, want)
	}
	w.Forget(orders)
	if got, want := w.Wanted(), []Interests{customers}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v is wanted, want %v", got, want)
	}
}
