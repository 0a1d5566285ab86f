-- Concurrency: a sorted set with one member for each slot in flight, scored by its expiry. Mirrors Concurrency.java and
-- AdaptiveConcurrency.java.
--
--   limit   max, lifetime of a slot (µs); if it is adaptive also min and initial, otherwise 0 and 0
--   state   the number of slots, and from the set: held, last (the latest expiry; nil if no slot is in flight); if it is
--           adaptive also learned_at (µs; 0 if nothing was learned), lease (µs), ages_from (µs) and learned, as in
--           AdaptiveState.java
--
-- A holder of several slots has several members: its id, id/1, id/2 …, so that the slots in flight are the count of
-- members. The member of score -1, the signature, has the number of slots of the limit under which the set was written:
-- C and max, or A and the fields of an adaptive state, which are in one key with the slots and expire with it.

-- MAX_PER_REQUEST bounds the slots of one request, since each is a member of the set and the server is blocked
-- meanwhile. CHUNK bounds the members of one command, since redis.call takes its arguments from Lua's stack.
local MAX_PER_REQUEST, CHUNK = 1000, 100

local function member_name(holder, i)
  return i == 0 and holder or holder .. '/' .. i
end

-- How long an adaptive limit keeps what it has learned after the last call, and the longest duration of a call (µs).
local RETENTION, MAX_DURATION = 600000000, 3600000000
local CONTROLLER_SIZE = 24 -- the numbers of ControllerState.java

-- Writes the signature of a set that has the state's earlier one, or none.
local function write_signature(k, state)
  local member = 'C' .. state[2]
  if state.learned_at then
    member = string.format('A%.0f:%.0f:%.0f:%.0f:', state[2], state.learned_at, state.lease, state.ages_from)
      .. state.learned
  end
  local previous = state.member
  state.member, states[k] = member, state
  if member == previous then return end
  call('ZADD', KEYS[k], -1, member) -- first, since an empty set is deleted with its expiry
  if previous then call('ZREM', KEYS[k], previous) end
end

local function new_signature(limit)
  if limit[4] == 0 then return {SLOTS, limit[2]} end
  return {SLOTS, limit[5], learned_at = 0, lease = limit[3], ages_from = 0, learned = ''}
end

-- Converts the stored signature to the limit.
local function adopt_signature(k, state, limit, last)
  if limit[4] == 0 then
    if state.learned_at or state[2] ~= limit[2] then write_signature(k, {SLOTS, limit[2], member = state.member}) end
  elseif not state.learned_at then
    local adopted = new_signature(limit)
    adopted.member, adopted.ages_from = state.member, last or 0
    write_signature(k, adopted)
  elseif state.lease ~= limit[3] then
    state.lease, state.ages_from = limit[3], max(state.ages_from, last or 0)
    write_signature(k, state)
  end
end

-- Returns the number of slots in flight, and removes expired ones.
local function count_held(key, state, commit)
  local size, first = call('ZCARD', key) - 1, state.first
  state.first = nil -- known only when the set has just been read
  if size == 0 or first and first > now then return size end
  if not commit then return call('ZCOUNT', key, now + 1, '+inf') end
  if size <= MAX_PURGED then return size - call('ZREMRANGEBYSCORE', key, 0, now) end
  local expired = call('ZCOUNT', key, 0, now)
  purge(key, expired)
  return size - expired
end

adopt[SLOTS] = function(state, limit, k, commit)
  local key = KEYS[k]
  local slots = {SLOTS, limit[4] > 0 and limit[5] or limit[2], held = 0}
  if not state then return slots, false end
  local is_slots = state[1] == SLOTS
  if is_slots then
    slots.held = count_held(key, state, commit)
    if slots.held > 0 then slots.last = tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]) end
  end
  local is_outdated = slots.held == 0 and state.learned_at and limit[4] > 0
    and (state.learned_at == 0 or state.learned_at + RETENTION <= now)
  if not is_slots or is_outdated then -- the use of a rate limit does not convert to slots in flight
    if commit then
      delete_text(key)
      changed[k], expiries[k], states[k] = nil, nil, false
    end
    return slots, false
  end
  if limit[4] > 0 and state.learned_at then slots[2] = max(limit[4], min(limit[2], state[2])) end
  if commit then adopt_signature(k, state, limit, slots.last) end
  return slots, false
end

step[SLOTS] = function(slots, limit, k, cost, holder)
  local max_slots, expires_at = slots[2], now + limit[3]
  local max_cost = limit[4] > 0 and limit[4] or max_slots
  local remaining = max(0, max_slots - slots.held)
  local reset = slots.last and slots.last - now or 0
  if cost > min(max_cost, MAX_PER_REQUEST) then return EXCEEDS, remaining, reset, 0 end
  if cost == 0 then return PASSED, remaining, reset, 0 end
  if cost > remaining then
    -- The slots in flight are the last members of the set; finds the one whose expiry frees enough.
    local rank = call('ZCARD', KEYS[k]) - (max_slots - cost) - 1
    local fits_at = tonumber(call('ZRANGE', KEYS[k], rank, rank, 'WITHSCORES')[2])
    return REFUSED, remaining, reset, fits_at - now
  end
  local last = max(expires_at, slots.last or 0)
  return PASSED, remaining - cost, last - now, 0, {last, expires_at, cost, holder, slots.last}
end

-- Returns when a state that expires with its last slot is fresh; later if something was learned.
local function fresh_after(state, last)
  if state.learned_at and state.learned_at > 0 then return max(last, state.learned_at + RETENTION) end
  return last
end

append[SLOTS] = function(request, limit, k)
  local key, expires_at, holder = KEYS[k], request[2], request[4]
  if not states[k] then write_signature(k, new_signature(limit)) end
  local to_add, i = request[3], 0
  if to_add == 1 then to_add, i = 1 - call('ZADD', key, 'NX', expires_at, holder), 1 end
  while to_add > 0 do
    local members = {}
    for _ = 1, min(to_add, CHUNK) do
      members[#members + 1] = expires_at
      members[#members + 1] = member_name(holder, i)
      i = i + 1
    end
    to_add = to_add - call('ZADD', key, 'NX', unpack(members)) -- some members may exist already
  end
  local last, previous = request[1], request[5]
  -- The key is kept for 3 s longer than necessary (see ttl), so slots that expire within 2 s of each other need one expiry.
  if sets_expiry and not (previous and last - last % 2000000 == previous - previous % 2000000) then
    call('PEXPIRE', key, ttl(fresh_after(states[k], last)))
  end
end

-- Returns the state of a set with slots in flight, unless this batch has converted it to another algorithm.
local function signature_of(k)
  if changed[k] then return {} end
  if not states[k] then states[k] = read_state(k, SLOTS) end
  return states[k]
end

-- Returns how many slots a holder has in flight. Their members are consecutive, so it is a binary search. Removes
-- expired slots of all holders: they stay expired if the clock steps back. The algorithm of a rule may have changed since
-- a slot was acquired.
local function count_slots(key, holder)
  local head = redis.pcall('ZRANGE', key, '0', '1', 'WITHSCORES')
  if head.err or not head[3] or not head[1]:find('^[CA]') then return 0 end
  if tonumber(head[4]) <= now then purge(key, call('ZCOUNT', key, 0, now)) end
  local expires_at = call('ZSCORE', key, holder)
  if not expires_at or tonumber(expires_at) <= now then return 0 end
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
  local state = signature_of(k)
  if state.learned_at then -- the age of a renewed slot does not follow from its expiry
    state.ages_from = max(state.ages_from, tonumber(call('ZSCORE', key, holder)))
    write_signature(k, state)
  end
  if sets_expiry then
    call('PEXPIRE', key, ttl(fresh_after(state, tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]))))
  end
  return 1
end

-- Releases the last `count` of the `held` slots of a holder, or all if it has fewer.
local function release(k, holder, held, count)
  if held == 0 then return 0 end
  local key = KEYS[k]
  each_chunk(holder, max(0, held - count), held - 1, nil, function(...) call('ZREM', key, ...) end)
  if call('ZCARD', key) == 1 and (signature_of(k).learned_at or 0) == 0 then
    call('DEL', key)
    -- A state that this batch converted to another algorithm is written at its end.
    if not changed[k] then states[k] = nil end
  end
  return 1
end

slot_operations.release = function(k, limit, holder)
  local held = count_slots(KEYS[k], holder)
  return release(k, holder, held, held)
end

-- Releases all slots of a holder after a call, and learns from the call if the limit is adaptive.
slot_operations.release_after = function(k, limit, holder, duration, outcome)
  local key = KEYS[k]
  local held = count_slots(key, holder)
  if held == 0 then return 0 end
  local state = signature_of(k)
  if not state.learned_at or limit[4] == 0 then return release(k, holder, held, held) end
  local age = now - (tonumber(call('ZSCORE', key, holder)) - state.lease)
  if now >= state.ages_from and age >= 0 then duration = min(duration, age) end
  local values = {cmsgpack.unpack(state.learned)}
  if #values == 0 then
    values[1] = state[2]
    for i = 2, CONTROLLER_SIZE do values[i] = 0 end
  end
  complete_call = complete_call or define_controller()
  complete_call(values, limit[4], limit[2], now, min(duration, MAX_DURATION), call('ZCOUNT', key, now + 1, '+inf'), outcome)
  state[2], state.learned_at, state.learned = floor(values[1]), now, cmsgpack.pack(unpack(values))
  write_signature(k, state)
  release(k, holder, held, held)
  if sets_expiry then
    call('PEXPIRE', key, ttl(fresh_after(state, tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]))))
  end
  return 1
end

give_back[SLOTS] = function(slots, limit, k, cost, charged_at, was_fresh_at, holder)
  release(k, holder, count_slots(KEYS[k], holder), cost)
end
