// Package client is a small client of the service: it reads documents and renames them, whoever else edits them meanwhile.
package client

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// Document is a document as it was read.
type Document struct {
	Data struct {
		OID   string `json:"$oid"`
		Title string `json:"title"`
	} `json:"data"`
	Version int `json:"version"`
}

// StatusError is an answer that is no success.
type StatusError struct {
	Status int
	Text   string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("the service answered %d: %s", e.Status, e.Text)
}

// Client calls the service with tokens that LogIn gets.
type Client struct {
	URL   string
	LogIn func() (string, error)
	token string
}

// Read returns the document with that identifier.
func (c *Client) Read(oid string) (Document, error) {
	var document Document
	text, err := c.send(http.MethodGet, "/softtype/"+oid, nil, nil)
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	return document, err
}

// Rename sets the title of a document that was read, and reads it again where somebody was quicker.
func (c *Client) Rename(document Document, title string, tries int) error {
	oid := document.Data.OID
	version := map[string]string{"Svc-UOIVersion": strconv.Itoa(document.Version)}
	_, err := c.send(http.MethodPatch, "/softtype/Document/documentInput/"+oid, map[string]string{"title": title}, version)
	if refused, ok := err.(*StatusError); !ok || refused.Status != http.StatusConflict || tries <= 1 {
		return err
	}
	fresh, err := c.Read(oid)
	if err != nil {
		return err
	}
	return c.Rename(fresh, title, tries-1)
}

func (c *Client) send(method, path string, body any, headers map[string]string) ([]byte, error) {
	if c.token == "" {
		token, err := c.LogIn()
		if err != nil {
			return nil, err
		}
		c.token = token
		return c.sendOnce(method, path, body, headers)
	}
	text, err := c.sendOnce(method, path, body, headers)
	if refused, ok := err.(*StatusError); ok && refused.Status == http.StatusUnauthorized {
		c.token = ""
		return c.send(method, path, body, headers)
	}
	return text, err
}

func (c *Client) sendOnce(method, path string, body any, headers map[string]string) ([]byte, error) {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, c.URL+"/api/space/main"+path, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Svc-InformationFilter", base64.StdEncoding.EncodeToString([]byte("{}")))
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		return nil, &StatusError{answer.StatusCode, string(text)}
	}
	return text, err
}
