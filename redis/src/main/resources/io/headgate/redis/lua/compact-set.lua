-- Writes `text` to `key` with its expiry (s).
put_text(key, text, expiry)
