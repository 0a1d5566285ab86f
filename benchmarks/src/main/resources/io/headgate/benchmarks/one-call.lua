-- The least that limits a rate with Redis: GCRA, one string a key. What others are compared with.
--
--   KEYS[1]  the time (µs) from which nothing is owed
--   ARGV     µs that a request costs, µs that may be owed
--   returns  0 if the request passes, else the µs to wait

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local owed_until = math.max(now, tonumber(redis.call('GET', KEYS[1])) or now) + ARGV[1]
local wait = owed_until - ARGV[2] - now
if wait > 0 then return wait end
redis.call('SET', KEYS[1], owed_until, 'PX', math.ceil((owed_until - now) / 1000))
return 0
