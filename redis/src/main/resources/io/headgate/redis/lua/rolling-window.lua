-- Rolling window: a sorted set with one member for each request. Mirrors RollingWindow.java.
--
--   limit   permits, window (µs), minimum interval between requests (µs)
--   state   window, permits, and from the set: last (time), total (at last), before (total before the first request
--           in the window); last is nil if the window is empty, total is nil if the set was not written
--
-- A member is the running total of all costs, so it is unique, and the use of the window is a difference of two
-- totals. Totals start at 10^9: texts of equal length sort like numbers, which matters for requests of the same
-- microsecond, and up to 2^31 a set stores them in 5 bytes. A cost other than 1 follows after a colon. The member
-- of score -1, the signature, has the window and the permits of the limit under which the set was written.

-- Totals grow by a digit once in 9 * 10^9 permits. The request that adds a digit is recorded one microsecond after the
-- requests before it, so that the members remain sorted.

local FIRST, MAX_RENUMBERED, CHUNK = 1000000000, 1000, 100

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

adopt[ROLLING] = function(state, limit, k, commit)
  local permits, window, key = limit[2], limit[3], KEYS[k]
  local log = {ROLLING, window, permits}
  if not state then return log, false end
  if state[1] ~= ROLLING then
    local used = carried_over(state, key, permits)
    if commit then
      call('DEL', key)
      changed[k], expiries[k] = nil, nil
      states[k] = used > 0 and log
    end
    if used == 0 then return log, false end
    log.last, log.before, log.total = now, FIRST, commit and FIRST + used
    log.used = used
    if commit then
      write_signature(key, limit)
      add_member(key, now, FIRST + used, used)
      if sets_expiry then call('PEXPIRE', key, ttl(now + window)) end
    end
    return log, false
  end
  local counted = min(window, state[2]) -- a longer window does not count again what has left the shorter one
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
  local first = call('ZRANGEBYSCORE', key, time - counted + 1, '+inf', 'LIMIT', 0, 1)[1]
  local total, cost = parse_member(first)
  log.last, log.before = last_time, total - cost
  log.used = log.total - log.before
  return log, false
end

-- Returns the time at which the use of the window will be at most `allowance`.
local function rolling_fits_at(log, key, allowance)
  if log.used <= allowance then return 0 end
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
  local key, total = KEYS[k], log.total or FIRST
  if not states[k] then
    write_signature(key, limit)
    states[k] = {ROLLING, limit[3], limit[2]}
  end
  if time == log.last and #to_text(total) < #to_text(total + cost) then time = time + 1 end
  add_member(key, time, total + cost, cost)
  if sets_expiry then call('PEXPIRE', key, ttl(time + limit[3])) end
end

-- Removes the request of that time and cost, and subtracts its cost from the totals of all later requests. If there
-- are more than MAX_RENUMBERED, the request stays, since renumbering would block the server.
give_back[ROLLING] = function(log, limit, k, cost, charged_at, was_fresh_at)
  local key, time = KEYS[k], was_fresh_at - limit[3]
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
