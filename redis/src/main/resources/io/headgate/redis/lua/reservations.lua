-- Lists open reservations, and keeps the secret with which their ids are encrypted.
--
--   KEYS[1]   sorted set of the ids of open reservations, scored by their expiry (µs)
--   KEYS[2]   the secret
--   KEYS[3]   sorted set of subjects, which are the first 8 characters of ids, scored by the number of their ids. Expires after
--             an hour, so that ids which an earlier version has removed are not counted for ever
--   ARGV[1]   now (µs); -1 for this server's clock
--   ARGV[2]   an operation, and its arguments:
--     list    the highest number of members, and of those of one subject, then pairs of an expiry (µs) and an id. An expiry
--             of -1 removes the id. Returns a list: for each pair 1, or 0 if there is no room for a new id; then the number of
--             members
--     due     the highest number of ids to return, and a secret to keep if there is none
--             Returns a list: the secret, the number of members, and the ids that have expired, earliest first.
--             If ids are requested and there are none, no secret is kept: an empty text if there is none

local function server_time()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local now = tonumber(ARGV[1])
if now < 0 then now = server_time() end

if ARGV[2] == 'due' then
  local secret, count = redis.call('GET', KEYS[2]), redis.call('ZCARD', KEYS[1])
  if not secret and (count > 0 or ARGV[3] == '0') then
    secret = ARGV[4]
    redis.call('SET', KEYS[2], secret)
  end
  local reply = {secret or '', count}
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, ARGV[3])) do
    reply[#reply + 1] = id
  end
  return reply
end

local function count_subject(id, change)
  local subject = id:sub(1, 8)
  local number = tonumber(redis.call('ZADD', KEYS[3], 'INCR', change, subject))
  if number <= 0 then
    redis.call('ZREM', KEYS[3], subject)
  elseif number == 1 and redis.call('ZCARD', KEYS[3]) == 1 then
    redis.call('PEXPIRE', KEYS[3], 3600000)
  end
  return number
end

local reply, count = {}, redis.call('ZCARD', KEYS[1])
for i = 5, #ARGV, 2 do
  local expiry, id = ARGV[i], ARGV[i + 1]
  local fits = 1
  if expiry == '-1' then
    if redis.call('ZREM', KEYS[1], id) == 1 then
      count = count - 1
      count_subject(id, '-1')
    end
  elseif count >= tonumber(ARGV[3]) and not redis.call('ZSCORE', KEYS[1], id) then
    fits = 0
  elseif redis.call('ZADD', KEYS[1], expiry, id) == 1 then
    if count_subject(id, '1') <= tonumber(ARGV[4]) then
      count = count + 1
    else
      redis.call('ZREM', KEYS[1], id)
      count_subject(id, '-1')
      fits = 0
    end
  end
  reply[#reply + 1] = fits
end
reply[#reply + 1] = count
return reply
