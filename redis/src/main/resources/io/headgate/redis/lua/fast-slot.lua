-- The fast path for one slot of a concurrency limit that is not adaptive, if it passes. Mirrors concurrency.lua, which
-- handles all others, and describes the set. Returns false for those; expired slots may be removed then.
--
-- No score is read unless it has to be: Redis formats a score as a floating-point number, which takes longer than to count
-- the slots.

-- The last limit, and the texts that follow from it and the time, since most batches have one limit of slots.
local slot_limit, signature, score, ttl, unexpired

fast_slot = function()
  local args, p = args, pos -- a local is faster than an upvalue
  local k, limit, holder = args[p + 2], limits[args[p + 3]], args[p + 5]
  if args[p] ~= 1 or args[p + 4] ~= 1 or args[p + 6] ~= 1 or limit[4] > 0 or states[k] ~= nil then return false end
  local key, max_slots, expires_at, held = KEYS[k], limit[2], now + limit[3], 0
  local latest = expires_at
  if limit ~= slot_limit then
    slot_limit, signature = limit, 'C' .. max_slots
    score, unexpired = format('%d', expires_at), format('(%d', now)
    ttl = format('%d', math.max(1, math.ceil(limit[3] / 1000)) + 3000)
  end
  if pcall('ZSCORE', key, signature) == '-1' then
    local size = call('ZCARD', key) - 1
    held = call('ZCOUNT', key, unexpired, score)
    if held < size then -- some have expired, or end later than this one
      if size > MAX_REMOVED then return false end
      size = size - call('ZREMRANGEBYSCORE', key, '0', unexpired:sub(2))
      if held < size then
        held, latest = size, tonumber(call('ZREVRANGE', key, '0', '0', 'WITHSCORES')[2])
      end
    end
    if held >= max_slots or call('ZADD', key, 'NX', score, holder) == 0 then
      return false -- in the second case the holder has a slot already
    end
  elseif max_slots > 0 and pcall('ZCARD', key) == 0 then
    call('ZADD', key, '-1', signature, score, holder)
  else
    return false -- of another limit or algorithm
  end
  -- Always, since it takes less than to read whether the previous expiry is still suitable.
  if sets_expiry then
    local later = latest > expires_at
    call('PEXPIRE', key, later and format('%d', math.ceil((latest - now) / 1000) + 3000) or ttl)
  end
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = PASSED, max_slots - held - 1, latest - now, 0
  n, pos = n + 4, p + 7
  return true
end
