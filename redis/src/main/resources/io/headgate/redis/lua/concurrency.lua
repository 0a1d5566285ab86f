-- Concurrency: a sorted set with one member for each slot in flight, scored by its expiry. Mirrors Concurrency.java.
--
--   limit   max, lifetime of a slot (µs)
--   state   max, and from the set: held, last (the latest expiry; nil if no slot is in flight)
--
-- A holder of several slots has several members: its id, id/1, id/2 …, so that the slots in flight are the count of
-- members. The member of score -1, the signature, has the max of the limit under which the set was written.

-- MAX_PER_REQUEST bounds the slots of one request, since each is a member of the set and the server is blocked
-- meanwhile. CHUNK bounds the members of one command, since redis.call takes its arguments from Lua's stack.
local MAX_PER_REQUEST, CHUNK = 1000, 100

local function member_name(holder, i)
  return i == 0 and holder or holder .. '/' .. i
end

adopt[SLOTS] = function(state, limit, k, commit)
  local max_slots, key = limit[2], KEYS[k]
  local slots = {SLOTS, max_slots, held = 0}
  if not state then return slots, false end
  if state[1] ~= SLOTS then -- the use of a rate limit does not convert to slots in flight
    if commit then
      call('DEL', key)
      changed[k], expiries[k], states[k] = nil, nil, false
    end
    return slots, false
  end
  if commit then
    purge(key, call('ZCOUNT', key, 0, now))
    if state[2] ~= max_slots then
      call('ZADD', key, -1, 'C' .. max_slots) -- first, since an empty set is deleted with its expiry
      call('ZREM', key, 'C' .. state[2])
      states[k] = {SLOTS, max_slots}
    end
  end
  slots.held = call('ZCOUNT', key, now + 1, '+inf')
  if slots.held > 0 then slots.last = tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]) end
  return slots, false
end

step[SLOTS] = function(slots, limit, k, cost, holder)
  local max_slots, expires_at = limit[2], now + limit[3]
  local remaining = max(0, max_slots - slots.held)
  local reset = slots.last and slots.last - now or 0
  if cost > min(max_slots, MAX_PER_REQUEST) then return EXCEEDS, remaining, reset, 0 end
  if cost == 0 then return PASSED, remaining, reset, 0 end
  if cost > remaining then
    -- The slots in flight are the last members of the set; finds the one whose expiry frees enough.
    local rank = call('ZCARD', KEYS[k]) - (max_slots - cost) - 1
    local fits_at = tonumber(call('ZRANGE', KEYS[k], rank, rank, 'WITHSCORES')[2])
    return REFUSED, remaining, reset, fits_at - now
  end
  local last = max(expires_at, slots.last or 0)
  return PASSED, remaining - cost, last - now, 0, {last, expires_at, cost, holder}
end

append[SLOTS] = function(request, limit, k)
  local key, expires_at, holder = KEYS[k], request[2], request[4]
  if not states[k] then
    call('ZADD', key, -1, 'C' .. limit[2])
    states[k] = {SLOTS, limit[2]}
  end
  local to_add, i = request[3], 0
  while to_add > 0 do
    local members = {}
    for _ = 1, min(to_add, CHUNK) do
      members[#members + 1] = expires_at
      members[#members + 1] = member_name(holder, i)
      i = i + 1
    end
    to_add = to_add - call('ZADD', key, 'NX', unpack(members)) -- some members may exist already
  end
  if sets_expiry then call('PEXPIRE', key, ttl(request[1])) end
end

-- Returns how many slots a holder has in flight. Their members are consecutive, so it is a binary search.
local function count_slots(key, holder)
  local expires_at = redis.pcall('ZSCORE', key, holder)
  -- An error means that the key has another type, since the algorithm was changed.
  if not expires_at or expires_at.err or tonumber(expires_at) <= now then return 0 end
  local low, high = 1, 2 -- the first `low` members exist, not all of the first `high`
  while high <= MAX_PER_REQUEST and call('ZSCORE', key, member_name(holder, high - 1)) do low, high = high, high * 2 end
  while low + 1 < high do
    local middle = floor((low + high) / 2)
    if call('ZSCORE', key, member_name(holder, middle - 1)) then low = middle else high = middle end
  end
  return low
end

-- Calls a function with each chunk of a holder's members, each preceded by `prefix` if there is one.
local function each_chunk(holder, from, to, prefix, change)
  for first = from, to, CHUNK do
    local arguments = {}
    for i = first, min(to, first + CHUNK - 1) do
      if prefix then arguments[#arguments + 1] = prefix end
      arguments[#arguments + 1] = member_name(holder, i)
    end
    change(unpack(arguments))
  end
end

slot_operations.renew = function(k, limit, holder)
  local key = KEYS[k]
  local held = count_slots(key, holder)
  if held == 0 then return 0 end
  each_chunk(holder, 0, held - 1, now + limit[3], function(...) call('ZADD', key, 'XX', 'GT', ...) end)
  if sets_expiry then
    call('PEXPIRE', key, ttl(tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2])))
  end
  return 1
end

-- Releases the last `count` slots of a holder, or all if it has fewer.
local function release(k, holder, count)
  local key = KEYS[k]
  local held = count_slots(key, holder)
  if held == 0 then return 0 end
  each_chunk(holder, max(0, held - count), held - 1, nil, function(...) call('ZREM', key, ...) end)
  if call('ZCARD', key) == 1 then
    call('DEL', key)
    -- A state that this batch converted to another algorithm is written at its end.
    if not changed[k] then states[k] = nil end
  end
  return 1
end

slot_operations.release = function(k, limit, holder)
  return release(k, holder, math.huge)
end

give_back[SLOTS] = function(slots, limit, k, cost, charged_at, was_fresh_at, holder)
  release(k, holder, cost)
end
