-- The fast path for one slot of a concurrency limit that is not adaptive, if it passes. Mirrors concurrency.lua, which
-- handles all others, and describes the set. Expired slots may be removed before the command is left to it.
--
-- No score is read unless it has to be: Redis formats a score as a floating-point number, which takes longer than to count
-- the slots.

if mode ~= 1 or args[p + 4] ~= 1 or args[p + 6] ~= 1 or args[l + 3] > 0 then break end
local key, holder, max_slots, expires_at, held = KEYS[k], args[p + 5], args[l + 1], now + args[l + 2], 0
local latest = expires_at
if l ~= text_limit then
  -- The texts that follow from the limit and the time, since most batches have one limit of slots.
  text_limit, limit_text = l, 'C' .. max_slots
  score, unexpired = string.format('%d', expires_at), string.format('(%d', now)
  ttl = string.format('%d', math.max(1, math.ceil(args[l + 2] / 1000)) + 3000)
end
if pcall('ZSCORE', key, limit_text) == '-1' then
  local slots = call('ZCARD', key) - 1
  held = call('ZCOUNT', key, unexpired, score)
  if held < slots then -- some have expired, or end later than this one
    if slots > MAX_REMOVED then break end
    slots = slots - call('ZREMRANGEBYSCORE', key, '0', unexpired:sub(2))
    if held < slots then
      held, latest = slots, tonumber(call('ZREVRANGE', key, '0', '0', 'WITHSCORES')[2])
    end
  end
  -- In the second case the holder has a slot already.
  if held >= max_slots or call('ZADD', key, 'NX', score, holder) == 0 then break end
elseif max_slots > 0 and pcall('ZCARD', key) == 0 then
  call('ZADD', key, '-1', limit_text, score, holder)
  --compact delete_shared(key)
else
  break -- of another limit or algorithm
end
-- Always, since it takes less than to read whether the previous expiry is still suitable.
if sets_expiry then
  local later = latest > expires_at
  call('PEXPIRE', key, later and string.format('%d', math.ceil((latest - now) / 1000) + 3000) or ttl)
end
remaining, reset, pos = max_slots - held - 1, latest - now, p + 7
