-- Writes `text` to `key` with its expiry (s). The number is formatted here, since redis.call formats numbers as floating
-- point, and in ms, since Redis would otherwise rewrite the command in ms for its replicas.
if sets_expiry then
  call('SET', key, text, 'PXAT', string.format('%d000', expiry))
else
  call('SET', key, text)
end
