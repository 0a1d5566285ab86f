-- Concurrency: a sorted set with one member for each slot in flight, scored by the end of its lease.
-- Mirrors Concurrency.java.
--
--   limit   max, lease (µs)
--   state   max, and from the set: held, last (the latest end; nil if none is in flight)
--
-- A holder of several slots has several members: its name, name/1, name/2 …, so that what is held is a
-- count. The member of score -1 names the max of whoever wrote the set.

-- One request takes at most so many slots: each is a member of the set, and the server does nothing else meanwhile.
-- No command has more members than a chunk: redis.call takes its arguments from Lua's stack.
local MOST_AT_ONCE, CHUNK = 1000, 100

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
    purge(key, call('ZCOUNT', key, 0, now))
    if state[2] ~= most then
      call('ZADD', key, -1, 'C' .. most) -- first: an empty set would vanish, and its expiry with it
      call('ZREM', key, 'C' .. state[2])
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
  if cost > min(most, MOST_AT_ONCE) then return NEVER, left, reset, 0 end
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
  local missing, i = request[3], 0
  while missing > 0 do
    local members = {}
    for _ = 1, min(missing, CHUNK) do
      members[#members + 1] = ends
      members[#members + 1] = name(holder, i)
      i = i + 1
    end
    missing = missing - call('ZADD', key, 'NX', unpack(members)) -- some names may be in use
  end
  if expires then call('PEXPIRE', key, ttl(request[1])) end
end

-- How many slots a holder has in flight. Their names are consecutive, so they are found by bisection.
local function count_of(key, holder)
  local ends = redis.pcall('ZSCORE', key, holder)
  if not ends or ends.err or tonumber(ends) <= now then return 0 end -- an error: the rule has another algorithm now
  local low, high = 1, 2 -- the first `low` names are in use, not all of the first `high`
  while high <= MOST_AT_ONCE and call('ZSCORE', key, name(holder, high - 1)) do low, high = high, high * 2 end
  while low + 1 < high do
    local middle = floor((low + high) / 2)
    if call('ZSCORE', key, name(holder, middle - 1)) then low = middle else high = middle end
  end
  return low
end

-- Calls a function with the arguments of each chunk of a holder's names, each after `prefix` if there is one.
local function each_chunk(holder, from, to, prefix, change)
  for first = from, to, CHUNK do
    local arguments = {}
    for i = first, min(to, first + CHUNK - 1) do
      if prefix then arguments[#arguments + 1] = prefix end
      arguments[#arguments + 1] = name(holder, i)
    end
    change(unpack(arguments))
  end
end

alter.renew = function(k, limit, holder)
  local key = KEYS[k]
  local held = count_of(key, holder)
  if held == 0 then return 0 end
  each_chunk(holder, 0, held - 1, now + limit[3], function(...) call('ZADD', key, 'XX', 'GT', ...) end)
  if expires then
    call('PEXPIRE', key, ttl(tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2])))
  end
  return 1
end

-- Releases the last `count` of a holder's slots, or all.
local function release(k, holder, count)
  local key = KEYS[k]
  local held = count_of(key, holder)
  if held == 0 then return 0 end
  each_chunk(holder, max(0, held - count), held - 1, nil, function(...) call('ZREM', key, ...) end)
  if call('ZCARD', key) == 1 then
    call('DEL', key)
    -- A state that this batch converted to another algorithm is written at its end.
    if not changed[k] then states[k] = nil end
  end
  return 1
end

alter.release = function(k, limit, holder)
  return release(k, holder, math.huge)
end

give_back[SLOTS] = function(slots, limit, k, cost, made_at, was_fresh_at, holder)
  release(k, holder, cost)
end
