-- Records a heartbeat and counts the instances with a recent one, by this server's clock.
--
--   KEYS[1]   sorted set of instances, scored by the time of their last heartbeat (ms)
--   ARGV      the name of this instance, or an empty text to count only; how long a heartbeat is
--             valid (ms)
--   returns   the number of instances; of the 256 latest ones, those with the layout separate, and
--             those with the layout compact
--
-- A name is an id, a space and the layout of keys. Names of versions without the layout compact
-- are an id alone.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local oldest = now - ARGV[2]
if ARGV[1] ~= '' then
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', oldest)
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
local count = redis.call('ZCOUNT', KEYS[1], oldest + 1, '+inf')
local latest = count > 0 and redis.call('ZREVRANGE', KEYS[1], 0, math.min(count, 256) - 1) or {}
local compact = 0
for i = 1, #latest do
  if string.sub(latest[i], -8) == ' compact' then compact = compact + 1 end
end
return {count, #latest - compact, compact}
