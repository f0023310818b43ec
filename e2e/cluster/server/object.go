package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Object is a Kubernetes object as JSON has it.
type Object = map[string]any

// Kind is a kind that the API server serves.
type Kind struct {
	Group      string // such as /apis/apps/v1
	Plural     string
	Namespaced bool
}

// Path returns the path of an object of the kind on the server.
func (k Kind) Path(namespace, name string) string {
	if k.Namespaced {
		return k.Group + "/namespaces/" + namespace + "/" + k.Plural + "/" + name
	}
	return k.Group + "/" + k.Plural + "/" + name
}

// Kind asks the server for a kind, which must be served under its apiVersion.
func (c *Cluster) Kind(ctx context.Context, apiVersion, kind string) (Kind, error) {
	group := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		group = "/api/" + apiVersion
	}
	var list struct {
		Resources []struct {
			Name, Kind string
			Namespaced bool
		}
	}
	if err := c.Do(ctx, http.MethodGet, group, nil, &list); err != nil {
		return Kind{}, err
	}
	for _, resource := range list.Resources {
		if resource.Kind == kind && !strings.Contains(resource.Name, "/") {
			return Kind{Group: group, Plural: resource.Name, Namespaced: resource.Namespaced}, nil
		}
	}
	return Kind{}, fmt.Errorf("%s serves no %s", group, kind)
}

// Get reads an object, with its managedFields.
func (c *Cluster) Get(ctx context.Context, path string) (Object, error) {
	var object Object
	return object, c.Do(ctx, http.MethodGet, path, nil, &object)
}

// Put replaces an object, and returns the server's new one.
func (c *Cluster) Put(ctx context.Context, path string, object Object) (Object, error) {
	var held Object
	return held, c.Do(ctx, http.MethodPut, path, object, &held)
}

// Post creates an object in a collection.
func (c *Cluster) Post(ctx context.Context, collection string, object Object) (Object, error) {
	var held Object
	return held, c.Do(ctx, http.MethodPost, collection, object, &held)
}

// Patch returns the server's object after a dry run of a patch in JSON. Its type is
// strategic, merge or json, as kubectl calls them.
func (c *Cluster) Patch(ctx context.Context, path, patchType string, patch any) (Object, error) {
	media := map[string]string{
		"strategic": "application/strategic-merge-patch+json", "merge": "application/merge-patch+json", "json": "application/json-patch+json",
	}[patchType]
	var made Object
	return made, c.send(ctx, http.MethodPatch, path+"?dryRun=All", media, patch, &made)
}

// Namespace makes a namespace.
func (c *Cluster) Namespace(ctx context.Context, name string) error {
	namespace := Object{"apiVersion": "v1", "kind": "Namespace", "metadata": Object{"name": name}}
	return c.Do(ctx, http.MethodPost, "/api/v1/namespaces", namespace, nil)
}

// Refusal is an answer of the server that is no success.
type Refusal struct {
	Code            int
	Reason, Message string
}

func (r *Refusal) Error() string { return r.Message }

// Do sends a request whose body is JSON and reads the JSON of the answer into a value,
// unless that is nil. An answer that is no success is a *Refusal.
func (c *Cluster) Do(ctx context.Context, method, path string, body, into any) error {
	return c.send(ctx, method, path, "application/json", body, into)
}

// send sends a request with a body of a media type.
func (c *Cluster) send(ctx context.Context, method, path, media string, body, into any) error {
	var text io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, text)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", media)
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return read(response, into)
}

// read reads an answer.
func read(response *http.Response, into any) error {
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		refusal := &Refusal{Code: response.StatusCode, Message: string(body)}
		var status struct{ Reason, Message string }
		if json.Unmarshal(body, &status) == nil && status.Message != "" {
			refusal.Reason, refusal.Message = status.Reason, status.Message
		}
		return refusal
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}
