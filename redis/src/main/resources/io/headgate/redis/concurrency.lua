-- Concurrency: a sorted set with one member for each slot in flight, scored by the end of its lease.
-- Mirrors Concurrency.java.
--
--   limit   max, lease (µs)
--   state   max, and from the set: held, last (the latest end; nil if none is in flight)
--
-- A holder of several slots has several members: its name, name/1, name/2 …, so that what is held is a
-- count. The member of score -1 names the max of whoever wrote the set.

local function name(holder, i)
  return i == 0 and holder or holder .. '/' .. i
end

adopt[SLOTS] = function(state, limit, k, keep)
  local most, key = limit[2], KEYS[k]
  local slots = {SLOTS, most, held = 0}
  if not state then return slots, false end
  if state[1] ~= SLOTS then -- what was spent per time says nothing of what is in flight
    if keep then
      call('DEL', key)
      changed[k], tills[k], states[k] = nil, nil, false
    end
    return slots, false
  end
  if keep then
    call('ZREMRANGEBYSCORE', key, 0, now)
    if state[2] ~= most then
      call('ZREMRANGEBYSCORE', key, -1, -1)
      call('ZADD', key, -1, 'C' .. most)
      states[k] = {SLOTS, most}
    end
  end
  slots.held = call('ZCOUNT', key, now + 1, '+inf')
  if slots.held > 0 then slots.last = tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]) end
  return slots, false
end

step[SLOTS] = function(slots, limit, k, cost, holder)
  local most, ends = limit[2], now + limit[3]
  local left = max(0, most - slots.held)
  local reset = slots.last and slots.last - now or 0
  if cost > most then return NEVER, left, reset, 0 end
  if cost == 0 then return PASSED, left, reset, 0 end
  if cost > left then
    -- The slots in flight are the last of the set; this is the one whose end makes room.
    local rank = call('ZCARD', KEYS[k]) - (most - cost) - 1
    local fits_at = tonumber(call('ZRANGE', KEYS[k], rank, rank, 'WITHSCORES')[2])
    return REFUSED, left, reset, fits_at - now
  end
  return PASSED, left - cost, max(ends, slots.last or 0) - now, 0, {max(ends, slots.last or 0), ends, cost, holder}
end

append[SLOTS] = function(request, limit, k)
  local key, ends, holder = KEYS[k], request[2], request[4]
  if not states[k] then
    call('ZADD', key, -1, 'C' .. limit[2])
    states[k] = {SLOTS, limit[2]}
  end
  local i = 0
  for _ = 1, request[3] do
    while call('ZADD', key, 'NX', ends, name(holder, i)) == 0 do i = i + 1 end
  end
  if expires then call('PEXPIRE', key, ttl(request[1])) end
end

-- The ways in which a holder's slots are altered; whether it had any.
local function each_slot(key, holder, change)
  local ends = redis.pcall('ZSCORE', key, holder)
  if not ends or ends.err or tonumber(ends) <= now then return 0 end -- or the rule's algorithm is new
  local i = 0
  while change(name(holder, i)) do i = i + 1 end
  return 1
end

alter.renew = function(k, limit, holder)
  local key, ends = KEYS[k], now + limit[3]
  local held = each_slot(key, holder, function(member)
    local score = tonumber(call('ZSCORE', key, member))
    if not score then return false end
    call('ZADD', key, max(score, ends), member)
    return true
  end)
  if held == 1 and expires then
    call('PEXPIRE', key, ttl(tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2])))
  end
  return held
end

alter.release = function(k, limit, holder)
  local key = KEYS[k]
  local held = each_slot(key, holder, function(member) return call('ZREM', key, member) == 1 end)
  if held == 1 and call('ZCARD', key) == 1 then
    call('DEL', key)
    states[k] = nil
  end
  return held
end

give_back[SLOTS] = function(slots, limit, k, cost, holder)
  alter.release(k, limit, holder)
end
