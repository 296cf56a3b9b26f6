package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"weir/deployments/sandbox"
)

// childVariable makes the test program a parent that starts a Redis server, prints its address and waits to be killed.
const childVariable = "WEIR_SANDBOX_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(parentOfRedis())
	}
	os.Exit(m.Run())
}

func parentOfRedis() int {
	r, err := sandbox.StartRedis(context.Background(), sandbox.RedisOptions{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(r.Addr())
	_, _ = os.Stdin.Read(make([]byte, 1))
	return 0
}
