package keystore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/natefinch/atomic"
)

// lockPatience bounds the wait for another process that writes the file.
const lockPatience = 5 * time.Second

// file is a JSON object of values by name, readable by its owner alone.
type file struct{ path string }

func (f file) get(name string) (string, error) {
	all, err := f.read()
	if err != nil {
		return "", err
	}
	value, ok := all[name]
	if !ok {
		return "", ErrNotFound
	}
	return value, nil
}

func (f file) read() (map[string]string, error) {
	raw, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all map[string]string
	if err := json.Unmarshal(raw, &all); err != nil {
		// Not the text of the error: it may quote a key.
		return nil, fmt.Errorf("%s holds no keys that can be read: mend or remove it", f.path)
	}
	return all, nil
}

// set writes a value, or with an empty one takes the name out.
func (f file) set(name, value string) (err error) {
	if value == "" {
		if all, err := f.read(); err == nil && all[name] == "" {
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	lock := flock.New(f.path+".lock", flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return fmt.Errorf("lock %s: %w", f.path, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	all, err := f.read()
	if err != nil {
		return err
	}
	if all == nil {
		all = map[string]string{}
	}
	if value == "" {
		delete(all, name)
	} else {
		all[name] = value
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	half, err := os.CreateTemp(filepath.Dir(f.path), ".keys-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(half.Name()) // fails once it has taken the other's place
	_, err = half.Write(append(raw, '\n'))
	if err == nil {
		err = half.Sync()
	}
	if err = errors.Join(err, half.Close()); err != nil {
		return err
	}
	return atomic.ReplaceFile(half.Name(), f.path)
}
