-- A token bucket with the same commands as the limiter of Spring Cloud Gateway: two strings a key, whole
-- seconds, and both strings written whether the request passes or not.
--
--   KEYS     tokens left, second of the last request
--   ARGV     tokens a second, most tokens
--   returns  {passes 0|1, tokens left}

local rate, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local second = tonumber(redis.call('TIME')[1])
local left = tonumber(redis.call('GET', KEYS[1])) or most
local last = tonumber(redis.call('GET', KEYS[2])) or 0
left = math.min(most, left + math.max(0, second - last) * rate)
local passes = left >= 1
if passes then left = left - 1 end
local life = math.floor(most / rate * 2)
if life > 0 then
  redis.call('SETEX', KEYS[1], life, left)
  redis.call('SETEX', KEYS[2], life, second)
end
return {passes and 1 or 0, left}
