package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/codebot-ls/codebot-ls/session/agent"
)

// listTimeout bounds a request for the list of models.
const listTimeout = 15 * time.Second

// maxList bounds what is read of such a list, in bytes.
const maxList = 4 << 20

// Models asks for the ids of the provider's models, with a GET of c.URL. The error is an
// *agent.Error as Stream's, or ctx's. It is sent once: a person waits for it.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, listTimeout, &quietError{after: listTimeout, first: true})
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return nil, c.unreachable(err).Err
	}
	for name, values := range c.Header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", "codebot-ls")
	resp, err := c.http().Do(req)
	if err != nil {
		return nil, failureOf(c.broken(ctx, err, true))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, failureOf(c.refused(ctx, resp))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil {
		return nil, failureOf(c.broken(ctx, err, true))
	}
	var list struct {
		Data []struct{ ID string }
	}
	if json.Unmarshal(body, &list) != nil || list.Data == nil {
		f := c.failure(0, wordsOf(body))
		f.say(agent.ErrModel, textProtocol, c.Model, c.host())
		return nil, f.Err
	}
	var ids []string
	for _, m := range list.Data {
		if m.ID != "" {
			ids = append(ids, m.ID)
		}
	}
	return ids, nil
}

func failureOf(f *Failure, err error) error {
	if err != nil || f == nil {
		return errors.Join(err)
	}
	return f.Err
}
