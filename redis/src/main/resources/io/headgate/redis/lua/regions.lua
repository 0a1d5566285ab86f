-- Publishes the state of an instance of a region, and returns those of all.
--
--   KEYS[1]   hash of the instances: the time of the report (ms), a space and the report
--   ARGV      the id of the instance; its report, or empty to read only; how long reports are kept (ms); how many
--   returns   for each instance its id, the age of its report (ms), and the report

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[2] ~= '' then
  if redis.call('HLEN', KEYS[1]) < tonumber(ARGV[4]) or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
    redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f ', now) .. ARGV[2])
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
  end
end
local all, reply = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #all, 2 do
  local at, report = all[i + 1]:match('^(%d+) (.*)$')
  if not at or now - tonumber(at) > tonumber(ARGV[3]) then
    redis.call('HDEL', KEYS[1], all[i])
  else
    reply[#reply + 1] = all[i]
    reply[#reply + 1] = string.format('%.0f', now - tonumber(at))
    reply[#reply + 1] = report
  end
end
return reply
