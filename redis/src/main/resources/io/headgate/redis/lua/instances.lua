-- Says "still here", and counts those who have said so lately, by this server's clock.
--
--   KEYS[1]   sorted set of instances, scored by when they last said it (ms)
--   ARGV      this instance's name; how long one counts (ms)
--   returns   how many there are

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
