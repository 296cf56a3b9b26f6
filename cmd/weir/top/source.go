package top

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"weir/cmd/weir/status"
)

// Source is where overviews come from: a Weir's admin port.
type Source struct {
	// URL is that of the port, such as http://127.0.0.1:9307.
	URL string
	// Token, or User and Password, are those of admin_auth; empty without it.
	Token, User, Password string
	Client                *http.Client
}

// patience is how long one answer may take.
const patience = 5 * time.Second

// Overview asks for one. An error is a sentence that says what to do.
func (s Source) Overview(ctx context.Context) (o status.Overview, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(s.URL, "/")+"/api/v1/overview", nil)
	if err != nil {
		return o, fmt.Errorf("%q is no address of an admin port, which is like http://127.0.0.1:9307", s.URL)
	}
	s.authorize(req)
	resp, err := s.Client.Do(req)
	if err != nil {
		return o, fmt.Errorf("no Weir answers at %s: %w; start one with weir serve, or say with --admin or --config where it is", s.URL, errors.Unwrap(err))
	}
	defer resp.Body.Close()
	if err := s.refused(resp); err != nil {
		return o, err
	}
	if err := json.NewDecoder(resp.Body).Decode(&o); err != nil {
		return o, fmt.Errorf("what answers at %s does not speak as this version of Weir does: %w", s.URL, err)
	}
	return o, nil
}

func (s Source) authorize(req *http.Request) {
	switch {
	case s.Token != "":
		req.Header.Set("Authorization", "Bearer "+s.Token)
	case s.User != "":
		req.SetBasicAuth(s.User, s.Password)
	}
}

func (s Source) refused(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized:
		return fmt.Errorf("the Weir at %s asks for the token or the password of its admin_auth; give --config, --token, or --user and --password", s.URL)
	case http.StatusNotFound:
		return fmt.Errorf("what answers at %s is no Weir that serves clients; a relay has no overview", s.URL)
	}
	return fmt.Errorf("the Weir at %s answers %s", s.URL, resp.Status)
}
