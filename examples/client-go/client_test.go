package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// service is the service of the suite, with its control routes.
var service struct {
	URL          string `json:"url"`
	ControlToken string `json:"controlToken"`
}

func TestMain(m *testing.M) {
	command := os.Getenv("SVC_CONFORMANCE")
	if command == "" {
		command = "npx svc-conformance"
	}
	words := append(strings.Fields(command), "serve", "--control")
	started := exec.Command(words[0], words[1:]...)
	started.Stderr = os.Stderr
	output, err := started.StdoutPipe()
	if err == nil {
		err = started.Start()
	}
	if err == nil {
		err = json.NewDecoder(bufio.NewReader(output)).Decode(&service)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the service does not start:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = started.Process.Signal(os.Interrupt)
	_ = started.Wait()
	os.Exit(code)
}

// control sends a request to /_control/; docs/control has the description.
func control(t *testing.T, method, path string, body any) map[string]any {
	t.Helper()
	var content io.Reader
	if body != nil {
		encoded, _ := json.Marshal(body)
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, service.URL+"/_control/"+path, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+service.ControlToken)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode >= 300 {
		t.Fatalf("%s %s: %s", method, path, text)
	}
	told := map[string]any{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &told); err != nil {
			t.Fatal(err)
		}
	}
	return told
}

func clientOf(t *testing.T, order map[string]any, logIns *int) *Client {
	return &Client{URL: service.URL, LogIn: func() (string, error) {
		*logIns++
		return control(t, "POST", "tokens", order)["accessToken"].(string), nil
	}}
}

func setUp(t *testing.T) {
	t.Helper()
	control(t, "POST", "reset", nil)
	control(t, "POST", "seed", map[string]any{"objects": []any{
		map[string]any{"$id": "doc-1", "$softType": "Document", "data": map[string]any{"title": "First"}, "version": 3},
	}})
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func TestRenamesADocumentThatSomebodyElseEditedMeanwhile(t *testing.T) {
	setUp(t)
	logIns := 0
	mine := clientOf(t, map[string]any{"identity": "editor"}, &logIns)
	theirs := clientOf(t, map[string]any{"identity": "secondEditor"}, &logIns)
	read := must(mine.Read("doc-1"))(t)
	if err := theirs.Rename(read, "Theirs", 1); err != nil {
		t.Fatal(err)
	}
	if err := mine.Rename(read, "Mine", 3); err != nil {
		t.Fatal(err)
	}
	if now := must(mine.Read("doc-1"))(t); now.Data.Title != "Mine" || now.Version != 5 {
		t.Errorf("expected Mine at version 5, found %s at %d", now.Data.Title, now.Version)
	}
}

func TestGivesUpWhenItMayNotTryAgain(t *testing.T) {
	setUp(t)
	logIns := 0
	client := clientOf(t, map[string]any{"identity": "editor"}, &logIns)
	stale := must(client.Read("doc-1"))(t)
	if err := client.Rename(stale, "Once", 1); err != nil {
		t.Fatal(err)
	}
	if refused, ok := client.Rename(stale, "Twice", 1).(*StatusError); !ok || refused.Status != http.StatusConflict {
		t.Errorf("expected a conflict, found %v", refused)
	}
}

func TestLogsInAgainWhenItsTokenHasRunOut(t *testing.T) {
	setUp(t)
	logIns := 0
	client := clientOf(t, map[string]any{"identity": "editor", "lifetimeSeconds": 60}, &logIns)
	must(client.Read("doc-1"))(t)
	control(t, "POST", "clock", map[string]any{"by": 61_000})
	if now := must(client.Read("doc-1"))(t); now.Data.Title != "First" || logIns != 2 {
		t.Errorf("expected First after 2 log-ins, found %s after %d", now.Data.Title, logIns)
	}
}
