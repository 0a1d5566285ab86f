-- Rolling window: a sorted set with one member for each request. Mirrors RollingWindow.java.
--
--   limit   permits, window (µs), least interval between requests (µs)
--   state   window, permits, and from the set: last (time), total (at last), before (total before the
--           first that counts); last nil if none counts, total nil if the set can't be asked
--
-- A member is the running total of all costs, so it is unique, and what the window holds is a difference of
-- two totals. Totals begin at 10^9: of equal length they sort as text as they do as numbers, which matters
-- to requests of the same microsecond, and up to 2^31 a set packs them into 5 bytes. A cost other than 1
-- follows after a colon. The member of score -1 names the window and the permits of whoever wrote the set.

-- Totals grow by a digit once in nine thousand million; a request whose total does begins a microsecond later than
-- those before it, so that they still sort.

local FIRST, MOST_RENUMBERED, CHUNK = 1000000000, 1000, 100

local function parsed(member)
  local colon = member:find(':', 1, true)
  if not colon then return tonumber(member), 1 end
  return tonumber(member:sub(1, colon - 1)), tonumber(member:sub(colon + 1))
end

local function add(key, time, total, cost)
  call('ZADD', key, time, cost == 1 and total or string.format('%.0f:%.0f', total, cost))
end

local function sign(key, limit)
  call('ZADD', key, -1, string.format('R%.0f:%.0f', limit[3], limit[2]))
end

local function text(number)
  return string.format('%.0f', number)
end

-- Counts the members from a rank on anew, after a total.
local function renumber(key, rank, total)
  local later = call('ZRANGE', key, rank, -1, 'WITHSCORES')
  call('ZREMRANGEBYRANK', key, rank, -1)
  for first = 1, #later, 2 * CHUNK do
    local members = {}
    for i = first, min(#later, first + 2 * CHUNK - 1), 2 do
      local _, cost = parsed(later[i])
      total = total + cost
      members[#members + 1] = later[i + 1]
      members[#members + 1] = cost == 1 and text(total) or text(total) .. ':' .. text(cost)
    end
    call('ZADD', key, unpack(members))
  end
end

adopt[ROLLING] = function(state, limit, k, keep)
  local permits, window, key = limit[2], limit[3], KEYS[k]
  local log = {ROLLING, window, permits}
  if not state then return log, false end
  if state[1] ~= ROLLING then
    local taken = carried_over(state, key, permits)
    if keep then
      call('DEL', key)
      changed[k], tills[k] = nil, nil
      states[k] = taken > 0 and log
    end
    if taken == 0 then return log, false end
    log.last, log.before, log.total = now, FIRST, keep and FIRST + taken
    log.taken = taken
    if keep then
      sign(key, limit)
      add(key, now, FIRST + taken, taken)
      if expires then call('PEXPIRE', key, ttl(now + window)) end
    end
    return log, false
  end
  if keep and (state[2] ~= window or state[3] ~= permits) then
    call('ZREMRANGEBYSCORE', key, -1, -1)
    sign(key, limit)
    if expires then
      local last = call('ZREVRANGE', key, 0, 0, 'WITHSCORES')
      call('PEXPIRE', key, ttl(tonumber(last[2]) + window))
    end
    states[k] = log
  end
  local last = call('ZREVRANGE', key, 0, 0, 'WITHSCORES')
  local last_time = tonumber(last[2])
  if last_time < 0 then return log, false end
  log.total = parsed(last[1])
  local time = max(now, last_time) -- clocks step back; the log must not
  if keep then purge(key, call('ZCOUNT', key, 0, time - window)) end
  if last_time + window <= time then return log, false end
  local first = call('ZRANGEBYSCORE', key, time - window + 1, '+inf', 'LIMIT', 0, 1)[1]
  local total, cost = parsed(first)
  log.last, log.before = last_time, total - cost
  log.taken = log.total - log.before
  return log, false
end

-- When no more than `room` of what counts will be left in the window.
local function rolling_fits_at(log, key, room)
  if log.taken <= room then return 0 end
  if not log.total then return log.last + log[2] end
  local goal = log.before + log.taken - room
  local low, high = 1, call('ZCARD', key) - 1
  local rank = max(low, high - (log.total - goal)) -- where it is if every cost is 1
  while true do
    local entry = call('ZRANGE', key, rank, rank, 'WITHSCORES')
    local total = parsed(entry[1])
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
  local taken = last and log.taken or 0
  local time = max(now, last or 0)
  local left = max(0, permits - taken)
  if last and time < last + interval then left = 0 end
  local reset = last and max(now, last + window) - now or 0
  if cost > permits then return NEVER, left, reset, 0 end
  if cost == 0 then return PASSED, left, reset, 0 end
  if cost > left then
    local fits_at = max(rolling_fits_at(log, KEYS[k], permits - cost), last + interval)
    return REFUSED, left, reset, fits_at - now
  end
  return PASSED, interval > 0 and 0 or left - cost, time + window - now, 0, {log, time, cost}
end

append[ROLLING] = function(request, limit, k)
  local log, time, cost = request[1], request[2], request[3]
  local key, total = KEYS[k], log.total or FIRST
  if not states[k] then
    sign(key, limit)
    states[k] = {ROLLING, limit[3], limit[2]}
  end
  if time == log.last and #text(total) < #text(total + cost) then time = time + 1 end
  add(key, time, total + cost, cost)
  if expires then call('PEXPIRE', key, ttl(time + limit[3])) end
end

-- Removes the request of that time and cost, and takes its cost off the totals of all later ones. Where those are too
-- many, it stays: to renumber them would hold up the server.
give_back[ROLLING] = function(log, limit, k, cost, made_at, was_fresh_at)
  local key, time = KEYS[k], was_fresh_at - limit[3]
  local later = call('ZCOUNT', key, time, '+inf')
  if later == 0 or later > MOST_RENUMBERED then return end
  local first = call('ZCARD', key) - later
  local members = call('ZRANGEBYSCORE', key, time, time)
  for i = #members, 1, -1 do
    local total, its_cost = parsed(members[i])
    if its_cost == cost then
      local rank = first + i - 1
      call('ZREMRANGEBYRANK', key, rank, rank)
      renumber(key, rank, total - cost)
      return
    end
  end
end
