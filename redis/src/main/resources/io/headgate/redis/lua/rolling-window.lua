-- Rolling window: a string of few requests (see packed-window.lua), or a sorted set with one member for each request.
-- Mirrors RollingWindow.java.
--
--   limit   permits, window (µs), minimum interval between requests (µs)
--   state   window, permits, and by name: last (time) and used, nil if the window is empty; packed (its state, which may be
--           of another limit) and index (of the first request in the window); or, of a set, total (at last) and before (total
--           before the first request in the window); neither if the state was not written
--
-- A member of a set is the running total of all costs, so it is unique, and the use of the window is a difference of two
-- totals. Totals start at 10^9: texts of equal length sort like numbers, which matters for requests of the same
-- microsecond, and up to 2^31 a set stores them in 5 bytes. A cost other than 1 follows after a colon. The member
-- of score -1, the signature, has the window and the permits of the limit under which the set was written.

-- Totals grow by a digit once in 9 * 10^9 permits. The request that adds a digit is recorded one microsecond after the
-- requests before it, so that the members remain sorted.

packed = packed or define_packed()

local FIRST, MAX_RENUMBERED, CHUNK = 1000000000, 1000, 100

local function is_packable(limit)
  return limit[3] <= WIDEST
end

local function parse_member(member)
  local colon = member:find(':', 1, true)
  if not colon then return tonumber(member), 1 end
  return tonumber(member:sub(1, colon - 1)), tonumber(member:sub(colon + 1))
end

local function add_member(key, time, total, cost)
  call('ZADD', key, time, cost == 1 and total or string.format('%.0f:%.0f', total, cost))
end

local function write_signature(key, limit)
  call('ZADD', key, -1, string.format('R%.0f:%.0f', limit[3], limit[2]))
end

local function to_text(number)
  return string.format('%.0f', number)
end

-- Recomputes the totals of the members from a rank on, following a given total.
local function renumber(key, rank, total)
  local later = call('ZRANGE', key, rank, -1, 'WITHSCORES')
  call('ZREMRANGEBYRANK', key, rank, -1)
  for first = 1, #later, 2 * CHUNK do
    local members = {}
    for i = first, min(#later, first + 2 * CHUNK - 1), 2 do
      local _, cost = parse_member(later[i])
      total = total + cost
      members[#members + 1] = later[i + 1]
      members[#members + 1] = cost == 1 and to_text(total) or to_text(total) .. ':' .. to_text(cost)
    end
    call('ZADD', key, unpack(members))
  end
end

-- Writes a sorted set in place of a window that was packed: two lists of times and costs, oldest first.
local function write_set(key, limit, times, costs)
  delete_text(key)
  write_signature(key, limit)
  local total = FIRST
  for first = 1, #times, CHUNK do
    local members = {}
    for i = first, min(#times, first + CHUNK - 1) do
      total = total + costs[i]
      members[#members + 1] = times[i]
      members[#members + 1] = costs[i] == 1 and to_text(total) or to_text(total) .. ':' .. to_text(costs[i])
    end
    call('ZADD', key, unpack(members))
  end
  if sets_expiry then call('PEXPIRE', key, ttl(times[#times] + limit[3])) end
end

-- Writes requests in the form of the limit.
local function write_requests(k, limit, times, costs)
  states[k] = nil -- read again
  if is_packable(limit) then
    packed.replace(KEYS[k], limit, times, costs)
  elseif #times > 0 then
    write_set(KEYS[k], limit, times, costs)
  else
    delete_text(KEYS[k])
  end
end

local function adopt_packed(state, limit, k, commit)
  local permits, window, last = limit[2], limit[3], state.last
  local log, time = {ROLLING, window, permits}, max(now, last)
  local counted = min(window, state[2]) -- a longer window does not count again what has left the shorter one
  local is_same = state[2] == window and state[3] == permits
  if last + counted <= time then
    if commit then
      delete_text(KEYS[k])
      states[k] = false
    end
    return log, false
  end
  local index = packed.first_after(state.text, last, state.count, time - counted)
  if commit and not is_same then
    write_requests(k, limit, packed.requests(state, index))
    return adopt[ROLLING](read_state(k, ROLLING), limit, k, false)
  end
  local used = packed.used_from(state, index)
  if commit and used ~= state.used then -- they stay expired if the clock steps back
    state, index = packed.trim(KEYS[k], state, index, used), 1
    states[k] = state
  end
  log.last, log.used, log.packed, log.index = last, used, state, index
  return log, false
end

adopt[ROLLING] = function(state, limit, k, commit)
  local permits, window, key = limit[2], limit[3], KEYS[k]
  local log = {ROLLING, window, permits}
  if not state then return log, false end
  if state[1] ~= ROLLING then
    local used = carried_over(state, key, permits)
    if commit then
      delete_text(key)
      changed[k], expiries[k] = nil, nil
      states[k] = false
    end
    if used == 0 then return log, false end
    if commit then
      write_requests(k, limit, {now}, {used})
      return adopt[ROLLING](read_state(k, ROLLING), limit, k, false)
    end
    log.last, log.used = now, used
    return log, false
  end
  if state.text then return adopt_packed(state, limit, k, commit) end
  local counted = min(window, state[2])
  if commit and (state[2] ~= window or state[3] ~= permits) then
    call('ZREMRANGEBYSCORE', key, -1, -1)
    write_signature(key, limit)
    if sets_expiry then
      local last = call('ZREVRANGE', key, 0, 0, 'WITHSCORES')
      call('PEXPIRE', key, ttl(tonumber(last[2]) + window))
    end
    states[k] = log
  end
  local last = call('ZREVRANGE', key, 0, 0, 'WITHSCORES')
  local last_time = tonumber(last[2])
  if last_time < 0 then return log, false end
  log.total = parse_member(last[1])
  local time = max(now, last_time) -- the clock stepped back; keep the order
  if commit then purge(key, call('ZCOUNT', key, 0, time - counted)) end
  if last_time + counted <= time then return log, false end
  local first = call('ZRANGEBYSCORE', key, max(0, time - counted + 1), '+inf', 'LIMIT', 0, 1)[1]
  local total, cost = parse_member(first)
  log.last, log.before = last_time, total - cost
  log.used = log.total - log.before
  return log, false
end

-- Returns the time at which the requests of a packed window use at most `allowance`.
local function packed_fits_at(log, allowance)
  local state, low = log.packed, log.index
  local text, last, to_expire = state.text, state.last, log.used - allowance
  local high, before = state.count, state.total - log.used
  while low < high do
    local middle = floor((low + high) / 2)
    local _, total = packed.entry(text, last, middle)
    if (total - before) % TOTALS < to_expire then low = middle + 1 else high = middle end
  end
  return (packed.entry(text, last, low)) + log[2]
end

-- Returns the time at which the use of the window will be at most `allowance`.
local function rolling_fits_at(log, key, allowance)
  if log.used <= allowance then return 0 end
  if log.packed then return packed_fits_at(log, allowance) end
  if not log.total then return log.last + log[2] end
  local goal = log.before + log.used - allowance
  local low, high = 1, call('ZCARD', key) - 1
  local rank = max(low, high - (log.total - goal)) -- the rank if every cost is 1
  while true do
    local entry = call('ZRANGE', key, rank, rank, 'WITHSCORES')
    local total = parse_member(entry[1])
    if total < goal then
      low = rank + 1
    elseif total == goal or low == high then
      return tonumber(entry[2]) + log[2]
    else
      high = rank
    end
    rank = floor((low + high) / 2)
  end
end

step[ROLLING] = function(log, limit, k, cost)
  local permits, window, interval, last = limit[2], limit[3], limit[4], log.last
  local used = last and log.used or 0
  local time = max(now, last or 0)
  local remaining = max(0, permits - used)
  if last and time < last + interval then remaining = 0 end
  local reset = last and max(now, last + window) - now or 0
  if cost > permits then return EXCEEDS, remaining, reset, 0 end
  if cost == 0 then return PASSED, remaining, reset, 0 end
  if cost > remaining then
    local fits_at = max(rolling_fits_at(log, KEYS[k], permits - cost), last + interval)
    return REFUSED, remaining, reset, fits_at - now
  end
  return PASSED, interval > 0 and 0 or remaining - cost, time + window - now, 0, {log, time, cost}
end

append[ROLLING] = function(request, limit, k)
  local log, time, cost = request[1], request[2], request[3]
  local key, state = KEYS[k], log.packed
  if state and state.count < MOST then
    local permits, window, text, index, last = limit[2], limit[3], state.text, log.index, state.last
    local count, used, total = state.count, log.used, state.total
    --include append-request
    states[k] = nil
    return
  end
  if state then
    local times, costs = packed.requests(state, log.index)
    times[#times + 1], costs[#costs + 1] = time, cost
    states[k] = nil
    if #times < MOST * 3 / 4 then -- many have expired
      packed.replace(key, limit, times, costs)
    else
      write_set(key, limit, times, costs)
    end
    return
  end
  -- A set that is empty is packed again, unless it has so many expired members that the server would be blocked.
  if not log.last and is_packable(limit) and (not states[k] or call('ZCARD', key) <= MAX_PURGED) then
    packed.replace(key, limit, {time}, {cost})
    states[k] = nil
    return
  end
  local total = log.total or FIRST
  if not states[k] then
    write_signature(key, limit)
    states[k] = {ROLLING, limit[3], limit[2]}
  end
  if time == log.last and #to_text(total) < #to_text(total + cost) then time = time + 1 end
  add_member(key, time, total + cost, cost)
  if sets_expiry then call('PEXPIRE', key, ttl(time + limit[3])) end
end

-- Removes the request of that time and cost from a packed window.
local function remove_packed(log, limit, k, time, cost)
  local times, costs = packed.requests(log.packed, log.index)
  for i = #times, 1, -1 do
    if times[i] == time and costs[i] == cost then
      table.remove(times, i)
      table.remove(costs, i)
      write_requests(k, limit, times, costs)
      return
    end
  end
end

-- Removes the request of that time and cost, and subtracts its cost from the totals of all later requests. If there
-- are more than MAX_RENUMBERED, the request stays, since renumbering would block the server.
give_back[ROLLING] = function(log, limit, k, cost, charged_at, was_fresh_at)
  local key, time = KEYS[k], was_fresh_at - limit[3]
  if log.packed then return remove_packed(log, limit, k, time, cost) end
  local later = call('ZCOUNT', key, time, '+inf')
  if later == 0 or later > MAX_RENUMBERED then return end
  local first = call('ZCARD', key) - later
  local members = call('ZRANGEBYSCORE', key, time, time)
  for i = #members, 1, -1 do
    local total, member_cost = parse_member(members[i])
    if member_cost == cost then
      local rank = first + i - 1
      call('ZREMRANGEBYRANK', key, rank, rank)
      renumber(key, rank, total - cost)
      return
    end
  end
end
