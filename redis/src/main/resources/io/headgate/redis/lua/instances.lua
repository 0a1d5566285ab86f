-- Records a heartbeat and counts the instances with a recent one, by this server's clock.
--
--   KEYS[1]   sorted set of instances, scored by the time of their last heartbeat (ms)
--   ARGV      the id of this instance; how long a heartbeat is valid (ms)
--   returns   the number of instances

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
