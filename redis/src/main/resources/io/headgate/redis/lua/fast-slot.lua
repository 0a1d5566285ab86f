-- The fast path for one slot of a concurrency limit that is not adaptive, if it passes. Mirrors concurrency.lua, which
-- handles all others, and describes the set. Returns false for those; expired slots may be removed then.

local PASSED, MAX_REMOVED, RENEWED = 0, 1000, 2000000

fast_slot = function()
  local k, limit, holder = args[pos + 2], limits[args[pos + 3]], args[pos + 5]
  if args[pos] ~= 1 or args[pos + 4] ~= 1 or args[pos + 6] ~= 1 or limit[4] > 0 or states[k] ~= nil then return false end
  local key, max_slots, held, last = KEYS[k], limit[2], 0, nil
  -- Up to two slots, so that one slot in flight needs no further command.
  local head = pcall('ZRANGE', key, '0', '2', 'WITHSCORES')
  if head.err then return false end
  local signature = limit[8] or 'C' .. max_slots
  limit[8] = signature
  if head[1] then
    if head[1] ~= signature then return false end
    held = head[5] and call('ZCARD', key) - 1 or head[3] and 1 or 0
    if held > 0 then
      last = tonumber(head[4])
      if last <= now then
        if held > MAX_REMOVED then return false end
        held = held - call('ZREMRANGEBYSCORE', key, '0', format('%d', now))
      end
      if held == 0 then
        last = nil
      elseif head[5] then
        last = tonumber(call('ZREVRANGE', key, '0', '0', 'WITHSCORES')[2])
      end
    end
  end
  if held >= max_slots then return false end
  local expires_at = now + limit[3]
  local score = format('%d', expires_at)
  if not head[1] then
    call('ZADD', key, '-1', signature, score, holder)
  elseif call('ZADD', key, 'NX', score, holder) == 0 then
    return false -- the holder has a slot already
  end
  local latest = last and last > expires_at and last or expires_at
  -- As in concurrency.lua, slots that expire within 2 s of each other need one expiry.
  if sets_expiry and not (last and latest - latest % RENEWED == last - last % RENEWED) then
    call('PEXPIRE', key, format('%d', math.max(1, math.ceil((latest - now) / 1000)) + 3000))
  end
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = PASSED, max_slots - held - 1, latest - now, 0
  n, pos = n + 4, pos + 7
  return true
end
