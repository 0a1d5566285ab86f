-- The script of 1.0.0-rc.1, composed of its parts, without its comments.
local BUCKET, FIXED, SLIDING, ROLLING, SLOTS, HELD, FAIR = 1, 2, 3, 4, 5, 6, 7
local STORED_STATE = 2
local call = redis.call
local args = cmsgpack.unpack(ARGV[1])
local now = args[1]
local sets_expiry = now < 0
if sets_expiry then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end
local limits, pos = {}, 4
for l = 1, args[3] do
  limits[l] = {args[pos], args[pos + 1], args[pos + 2], args[pos + 3], args[pos + 4], args[pos + 5], args[pos + 6]}
  if args[pos] == FIXED and args[pos + 3] == 0 and (now < args[pos + 4] or now >= args[pos + 6]) then
    return cmsgpack.pack({-now})
  end
  pos = pos + 7
end
local states = {}
local reply, n = {now}, 1
local function expiry_for(fresh, spare, previous)
  if fresh < now then fresh = now end
  if spare < 3000000 then spare = 3000000 end
  if previous then
    local margin = previous * 1000000 - fresh
    if margin >= 0 and margin <= 2 * spare then return previous end
  end
  return math.ceil((fresh + spare) / 1000000)
end
local function encode_bucket(empty_at, slack, refill_time, expiry)
  if slack < 128 and expiry < 4294967296 then
    return struct.pack('>BBI8BBI8BI4', BUCKET, 0xcf, empty_at, slack, 0xcf, refill_time, 0xce, expiry)
  end
  return cmsgpack.pack(BUCKET, empty_at, slack, refill_time, expiry)
end
local function write(key, text, expiry, size, previous_expiry)
  if expiry == previous_expiry and #text == size then
    call('SETRANGE', key, '0', text)
  elseif sets_expiry then
    call('SET', key, text, 'EXAT', expiry)
  else
    call('SET', key, text)
  end
end
local function admitted_cost(price, times, available)
  if price * times <= available then return price * times end
  return available - available % price
end
local function bucket(key, limit, cost, times, commit)
  local permits, available, refill_time = limit[2], limit[4], limit[6]
  local kind, empty_at, slack, stored_refill_time, stored_expiry = nil, 0, 0, nil, nil
  local stored = redis.pcall('GET', key)
  if stored then
    if type(stored) ~= 'string' then return false end
    kind, empty_at, slack, stored_refill_time, stored_expiry = cmsgpack.unpack(stored)
    if kind ~= BUCKET or stored_refill_time ~= refill_time or slack >= permits then return false end
  end
  reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + times, empty_at, slack
  local wait = empty_at - now
  if wait <= 0 then
    empty_at, slack = now, 0
  elseif wait > refill_time then
    available = 0
  else
    available = available - wait * permits + slack
  end
  local debt = admitted_cost(cost * limit[3], times, available)
  if not (commit and debt > 0) then return true end
  debt = debt - slack
  slack = -debt % permits
  empty_at = empty_at + (debt + slack) / permits
  local expiry = expiry_for(empty_at, (empty_at - now) / 4, stored_expiry)
  write(key, encode_bucket(empty_at, slack, refill_time, expiry), expiry, stored and #stored, stored_expiry)
  return true
end
local function fixed_window(key, limit, cost, times, commit)
  local permits, alignment, length = limit[2], limit[3], limit[4]
  local kind, window_end, count, stored_permits, stored_alignment = nil, 0, 0, nil, nil
  local stored = redis.pcall('GET', key)
  if stored then
    if type(stored) ~= 'string' then return false end
    kind, window_end, count, stored_permits, stored_alignment = cmsgpack.unpack(stored)
    if kind ~= FIXED or stored_permits ~= permits or stored_alignment ~= alignment then return false end
  end
  if now >= window_end then
    if length == 0 then return false end
    window_end, count = now - now % length + length, 0
  end
  local expiry = expiry_for(window_end, 0)
  local stored_expiry = count > 0 and expiry or nil
  reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + times, window_end, count
  local cost_total = admitted_cost(cost, times, permits - count)
  if commit and cost_total > 0 then
    local text = cmsgpack.pack(FIXED, window_end, count + cost_total, permits, alignment)
    write(key, text, expiry, stored and #stored, stored_expiry)
  end
  return true
end
local KEPT = 600000000
local function record_settled(key, expires_at, index, used, charged, at, was_fresh)
  local text
  if charged == 0 then
    text = cmsgpack.pack(2, expires_at, index, used, 0)
  else
    text = cmsgpack.pack(2, expires_at, index, used, 1, charged, at, was_fresh)
  end
  if not sets_expiry then return call('SET', key, text, 'NX') end
  if expires_at < now then expires_at = now end
  return call('SET', key, text, 'NX', 'EXAT', math.ceil((expires_at + KEPT) / 1000000))
end
local function settle()
  local record, action, expires_at, ttl, count, index, k, l, used, more, reserved, at, was_fresh, same_limit =
    unpack(args, pos + 1, pos + 14)
  if action ~= 1 or count ~= 1 or same_limit ~= 1 or used > reserved or states[k] ~= nil then return false end
  local limit, target, key = limits[l], used < 0 and reserved or used, KEYS[k]
  local kind, permits = limit[1], limit[2]
  if now > expires_at + KEPT then return false end
  if not (kind == BUCKET and limit[7] == 0 or kind == FIXED and limit[4] > 0) then return false end
  local stored = redis.pcall('GET', key)
  if type(stored) ~= 'string' then return false end
  local stored_kind, first, second, third, fourth = cmsgpack.unpack(stored)
  if stored_kind ~= kind then return false end
  local before, left
  if kind == BUCKET then
    local period, refill_time, wait = limit[3], limit[6], first - now
    if third ~= refill_time or second >= permits or wait <= 0 or wait > refill_time then return false end
    local debt, returned, unrefilled = wait * permits - second, (reserved - target) * period, was_fresh - now
    if unrefilled <= 0 then
      returned = 0
    elseif unrefilled <= math.floor((returned - 1) / permits) then
      returned = unrefilled * permits
    end
    if not record_settled(KEYS[record], expires_at, index, used, target, at, was_fresh) then return false end
    before = math.floor((limit[4] - debt) / period)
    if returned > 0 then
      debt = debt > returned and debt - returned or 0
      local repaid_in = math.ceil(debt / permits)
      local empty_at = now + repaid_in
      local expiry = expiry_for(empty_at, repaid_in / 4, fourth)
      write(key, encode_bucket(empty_at, repaid_in * permits - debt, refill_time, expiry), expiry, #stored, fourth)
    end
    left = math.floor((limit[4] - debt) / period)
  else
    local window_end, charged, length = first, second, limit[4]
    if third ~= permits or fourth ~= limit[3] or now >= window_end or charged > permits then return false end
    if at >= window_end or at < window_end - length then return false end
    local rest = charged - reserved + target
    if rest < 0 then return false end
    if not record_settled(KEYS[record], expires_at, index, used, target, at, was_fresh) then return false end
    before, left = permits - charged, permits - rest
    if rest < charged then
      local expiry = expiry_for(rest == 0 and 0 or window_end, 0)
      write(key, cmsgpack.pack(FIXED, window_end, rest, permits, fourth), expiry, #stored, expiry_for(window_end, 0))
    end
  end
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = 2, expires_at, 0, target
  reply[n + 5], reply[n + 6], reply[n + 7] = used + 1, left, before == 0 and left > 0 and 1 or 0
  n, pos = n + 7, pos + 18
  return true
end
local function fast_path()
  while pos <= #args do
    local mode, k, limit = args[pos], args[pos + 2], limits[args[pos + 3]]
    while mode == 8 and settle() do
      mode, k, limit = args[pos], args[pos + 2], limits[args[pos + 3]]
      if pos > #args then return end
    end
    if mode > 1 or args[pos + 1] > 0 or states[k] ~= nil then return end
    local evaluate = limit[1] == BUCKET and bucket or limit[1] == FIXED and fixed_window
    if not (evaluate and evaluate(KEYS[k], limit, args[pos + 4], args[pos + 5], mode == 1)) then return end
    n, pos = n + 3, pos + 6
  end
end
fast_path()
if pos > #args then return cmsgpack.pack(reply) end
local PASSED, REFUSED, EXCEEDS = 0, 1, 2
local FAIR_FORMAT = '>I8I8I8I8I8I8I8I8I8I8I4I4I4I8I4I4I8I8'
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local adopt, step, fresh_at, append, slot_operations, give_back = {}, {}, {}, {}, {}, {}
local state_after, store_set = {}, {}
local load_state, read_state, evaluate_multi
local holds
local complete_call
local changed = {}
local sizes, expiries = {}, {}
local has_multi, uses = args[2] == 1, {}
for _, limit in ipairs(limits) do uses[limit[1]] = true end
local function add_outcome(kind, remaining, reset, wait, certain)
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4], reply[n + 5] = kind, remaining, reset, wait, certain
  n = certain and n + 5 or n + 4
end
local function add_limit(limit, state)
  if limit[1] == SLOTS and limit[4] > 0 then
    n = n + 1
    reply[n] = state[2]
  end
end
local MAX_PURGED = 1000
local function purge(key, expired)
  call('ZREMRANGEBYRANK', key, 1, min(expired, MAX_PURGED))
end
local function ttl(fresh)
  return max(1, ceil((fresh - now) / 1000)) + 3000
end
local function scaled(part, of, capacity)
  local ALL = 1048576
  if part <= 0 then return 0 end
  if part >= of then return capacity end
  local share, rest = 0, part
  for _ = 1, 20 do
    share, rest = share * 2, rest * 2
    if rest >= of then share, rest = share + 1, rest - of end
  end
  if rest > 0 then share = share + 1 end
  local high, low = floor(capacity / ALL), capacity % ALL
  local rounded_down = share * high + floor(share * low / ALL)
  return max(rounded_down, (share - 1) * high + floor((share - 1) * low / ALL) + 1)
end
local function carried_over(state, key, capacity)
  local kind, part, of = state[1], 0, 1
  if kind == BUCKET or kind == FAIR then
    part, of = state[2] - now, state[4]
  elseif kind == FIXED then
    part, of = now >= state[2] and 0 or state[3], state[4]
  elseif kind == SLIDING then
    local passed = max(0, floor(now / state[3]) - state[2])
    for i = 5 + passed, #state do part = part + state[i] end
    of = state[4]
  elseif kind == ROLLING then
    of = state[3]
    local first = call('ZRANGEBYSCORE', key, max(0, now - state[2] + 1), '+inf', 'LIMIT', 0, 1)[1]
    if first then
      local total, cost = first:match('^(%d+):?(%d*)$')
      local last = call('ZREVRANGE', key, 0, 0)[1]:match('^%d+')
      part = last - total + (tonumber(cost) or 1)
    end
  else
    part, of = call('ZCOUNT', key, now + 1, '+inf'), state[2]
  end
  return scaled(part, of, capacity)
end
if uses[BUCKET] then
adopt[BUCKET] = function(state, limit, k)
  local refill_time = limit[6]
  if not state then return {BUCKET, 0, 0, refill_time}, false end
  if state[1] == BUCKET and state[4] == refill_time and state[3] < limit[2] then return state, false end
  return {BUCKET, now + carried_over(state, KEYS[k], refill_time), 0, refill_time}, true
end
step[BUCKET] = function(state, limit, k, cost)
  local permits, period, units, slack = limit[2], limit[3], limit[4], state[3]
  local wait = max(0, state[2] - now)
  local debt = 0
  if wait > limit[6] then
    debt = units
  elseif wait > 0 then
    debt = wait * permits - slack
  end
  local remaining = floor(max(0, units - debt) / period)
  if cost == 0 then return PASSED, remaining, wait, 0 end
  if cost > limit[5] then return EXCEEDS, remaining, wait, 0 end
  local price = cost * period
  if debt > units - price then
    local fits_at = state[2] - floor((units - price + slack) / permits)
    return REFUSED, remaining, wait, fits_at - now
  end
  local new_debt = wait == 0 and price or price - slack
  local repaid_in = ceil(new_debt / permits)
  local delay = limit[7] == 1 and wait or 0
  local next_state = {BUCKET, now + wait + repaid_in, repaid_in * permits - new_debt, state[4]}
  return PASSED, remaining - cost, wait + repaid_in, delay, next_state
end
give_back[BUCKET] = function(state, limit, k, cost, charged_at, was_fresh_at)
  local permits, period, unrefilled = limit[2], limit[3], was_fresh_at - now
  if state[2] <= now or unrefilled <= 0 then return nil end
  local returned = min(cost, max(limit[5], floor((9007199254740992 - permits) / period))) * period
  if unrefilled <= floor((returned - 1) / permits) then returned = unrefilled * permits end
  local empty_at, slack = state[2] - floor(returned / permits), state[3] + returned % permits
  if slack >= permits then empty_at, slack = empty_at - 1, slack - permits end
  if empty_at < now or empty_at == now and slack > 0 then empty_at, slack = now, 0 end
  return {BUCKET, empty_at, slack, state[4]}
end
fresh_at[BUCKET] = function(state)
  return state[2]
end
end
if uses[FIXED] then
local function end_after(time, limit)
  local length = limit[4]
  if length > 0 then return (floor(time / length) + 1) * length end
  if time < limit[5] then return limit[5] end
  if time < limit[6] then return limit[6] end
  return limit[7]
end
adopt[FIXED] = function(state, limit, k)
  local permits, alignment = limit[2], limit[3]
  if not state then return {FIXED, end_after(now, limit), 0, permits, alignment}, false end
  if state[1] == FIXED and state[4] == permits and state[5] == alignment then
    if now < state[2] then return state, false end
    return {FIXED, end_after(now, limit), 0, permits, alignment}, state[3] > 0
  end
  return {FIXED, end_after(now, limit), carried_over(state, KEYS[k], permits), permits, alignment}, true
end
step[FIXED] = function(state, limit, k, cost)
  local window_end, count, permits = state[2], state[3], limit[2]
  local remaining = max(0, permits - count)
  local reset = count == 0 and 0 or window_end - now
  if cost > permits then return EXCEEDS, remaining, reset, 0 end
  if cost > remaining then return REFUSED, remaining, reset, window_end - now end
  if cost == 0 then return PASSED, remaining, reset, 0 end
  return PASSED, remaining - cost, window_end - now, 0, {FIXED, window_end, count + cost, permits, state[5]}
end
give_back[FIXED] = function(state, limit, k, cost, charged_at)
  if state[3] == 0 or end_after(charged_at, limit) ~= state[2] then return nil end
  return {FIXED, state[2], max(0, state[3] - cost), state[4], state[5]}
end
fresh_at[FIXED] = function(state)
  return state[3] == 0 and 0 or state[2]
end
end
if uses[SLIDING] then
adopt[SLIDING] = function(state, limit, k)
  local permits, buckets, width = limit[2], limit[3], limit[4]
  local subwindow = floor(now / width)
  local matches = state and state[1] == SLIDING and #state == buckets + 5 and state[3] == width and state[4] == permits
  local passed, used, altered = buckets + 1, 0, false
  if matches then
    if subwindow <= state[2] then return state, false end
    passed = min(subwindow - state[2], buckets + 1)
    for i = 5, #state do altered = altered or state[i] > 0 end
  elseif state then
    used, altered = carried_over(state, KEYS[k], permits), true
  end
  local moved = {SLIDING, subwindow, width, permits}
  for i = 5 + passed, buckets + 5 do moved[i - passed] = state[i] end
  for i = buckets + 6 - passed, buckets + 5 do moved[i] = 0 end
  moved[buckets + 5] = moved[buckets + 5] + used
  return moved, altered
end
local function sliding_fresh(state)
  for i = #state, 5, -1 do
    if state[i] > 0 then return (state[2] + i - 4) * state[3] end
  end
  return 0
end
step[SLIDING] = function(state, limit, k, cost)
  local permits, buckets, width, conservative = limit[2], limit[3], limit[4], limit[5] == 1
  local start = state[2] * width
  local time = max(now, start)
  local total = 0
  for i = 5, #state do total = total + state[i] end
  local oldest = state[5]
  local remaining
  if conservative then
    remaining = max(0, permits - total)
  else
    remaining = max(0, permits - (total - oldest) - ceil(oldest * (width - (time - start)) / width))
  end
  local reset = max(now, sliding_fresh(state)) - now
  if cost > permits then return EXCEEDS, remaining, reset, 0 end
  if cost == 0 then return PASSED, remaining, reset, 0 end
  if cost <= remaining then
    local next_state = {}
    for i = 1, #state do next_state[i] = state[i] end
    next_state[buckets + 5] = next_state[buckets + 5] + cost
    return PASSED, remaining - cost, sliding_fresh(next_state) - now, 0, next_state
  end
  local allowance, total_inside, ahead = permits - cost, total, 0
  while true do
    local begin, leaving = start + ahead * width, state[5 + ahead] or 0
    total_inside = total_inside - leaving
    if conservative then
      if total_inside + leaving <= allowance then return REFUSED, remaining, reset, max(time, begin) - now end
    elseif total_inside <= allowance then
      local overlap = leaving == 0 and width or min(width, floor((allowance - total_inside) * width / leaving))
      return REFUSED, remaining, reset, max(time, begin + width - overlap) - now
    end
    ahead = ahead + 1
  end
end
give_back[SLIDING] = function(state, limit, k, cost, charged_at)
  local next_state, changes = {}, false
  for i = 1, #state do next_state[i] = state[i] end
  local charged_index = #state - (state[2] - floor(charged_at / limit[4]))
  for i = max(5, charged_index), #state do
    local returned = min(cost, state[i])
    next_state[i], cost, changes = state[i] - returned, cost - returned, changes or returned > 0
  end
  return changes and charged_index >= 5 and next_state or nil
end
fresh_at[SLIDING] = sliding_fresh
end
if uses[ROLLING] then
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
  local time = max(now, last_time)
  if commit then purge(key, call('ZCOUNT', key, 0, time - counted)) end
  if last_time + counted <= time then return log, false end
  local first = call('ZRANGEBYSCORE', key, time - counted + 1, '+inf', 'LIMIT', 0, 1)[1]
  local total, cost = parse_member(first)
  log.last, log.before = last_time, total - cost
  log.used = log.total - log.before
  return log, false
end
local function rolling_fits_at(log, key, allowance)
  if log.used <= allowance then return 0 end
  if not log.total then return log.last + log[2] end
  local goal = log.before + log.used - allowance
  local low, high = 1, call('ZCARD', key) - 1
  local rank = max(low, high - (log.total - goal))
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
end
local define_controller
if uses[SLOTS] then
define_controller = function()
local complete_call
do
  local LIMIT, TARGET, BASE, LAST, SINCE, COUNT, SUM, SQUARES, DROPS, DROP_TIME = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  local PEAK, IN_FLIGHT, COUNTDOWN, INTERVAL, HIGH, HIGH_LATENCY = 11, 12, 13, 14, 15, 16
  local VARIATION, IS_SETTLED, SLOW_WINDOWS = 17, 18, 19
  local SUCCESS, ERROR_OUTCOME = 0, 1
  local MIN_SAMPLES, MIN_PER_LIMIT, MAX_PER_LIMIT, ERROR, CLIP = 8, 1.5, 13, 0.5, 12
  local QUEUE, MIN_QUEUE, MAX_DECREASE, UNLOADED = 1.7, 2, 0.7, 0.65
  local FIRST_INTERVAL, MAX_INTERVAL, MAX_FALL, MAX_RISE = 6, 60, 0.85, 1.15
  local DEPTH, SMALL, SLOW = 2.5, 3, 0.5
  local MAX_PAUSE, MAX_STEP_BACK, MAX_SETTLING = 60e6, 1e6, 10e6
  local abs, floor, max, min, sqrt = math.abs, math.floor, math.max, math.min, math.sqrt
  local function depth(target)
    return max(0.5, min(0.95, 1 - DEPTH / sqrt(target)))
  end
  local function clear(s, since)
    s[SINCE] = since
    for i = COUNT, IN_FLIGHT do s[i] = 0 end
  end
  local function enough(s)
    if s[IS_SETTLED] == 0 then return max(MIN_SAMPLES, s[TARGET]) end
    local wanted = min(MAX_PER_LIMIT, s[VARIATION] / (ERROR * ERROR))
    return max(2 * MIN_SAMPLES, max(MIN_PER_LIMIT, wanted) * s[TARGET])
  end
  local function is_complete(s, time)
    local total = s[COUNT] + s[DROPS]
    if total < MIN_SAMPLES then return false end
    if s[DROPS] > s[COUNT] then return time - s[SINCE] >= s[BASE] end
    if total < enough(s) then return false end
    return (time - s[SINCE]) * s[COUNT] >= s[SUM]
  end
  local function raise(s, low_latency, low, high_latency, high)
    if low_latency <= s[BASE] then return end
    local growth = max(0, (high_latency / low_latency - 1) / (high / low - 1))
    local weight = 0.5 * max(0, 1 - growth / 0.8)
    s[BASE] = min(2 * s[BASE], s[BASE] + weight * (low_latency - s[BASE]))
  end
  local function compare(s, latency, in_flight)
    if latency < s[BASE] then s[BASE] = s[BASE] + 0.07 * (latency - s[BASE]) end
    local high = s[HIGH]
    if high > 0 and in_flight * 1.6 < high then
      raise(s, latency, in_flight, s[HIGH_LATENCY], high)
    elseif high > 0 and in_flight > 1.6 * high then
      raise(s, s[HIGH_LATENCY], high, latency, in_flight)
    elseif high > 0 then
      s[HIGH] = s[HIGH] + 0.3 * (in_flight - high)
      s[HIGH_LATENCY] = s[HIGH_LATENCY] + 0.3 * (min(latency, 1.3 * s[HIGH_LATENCY]) - s[HIGH_LATENCY])
      return
    end
    s[HIGH], s[HIGH_LATENCY] = in_flight, latency
  end
  local function overloaded(s)
    local useful = s[SUM] / max(1, s[SUM] + s[DROP_TIME])
    s[TARGET] = min(s[TARGET], s[PEAK]) * max(0.5, min(0.95, useful))
    s[COUNTDOWN], s[HIGH] = s[INTERVAL], 0
    s[IS_SETTLED] = useful < 0.5 and 0 or 1
  end
  local function follow(s, latency, in_flight)
    local target = s[TARGET]
    if s[BASE] == 0 then s[BASE] = latency end
    if in_flight < 0.5 * target then
      s[BASE] = s[BASE] + 0.2 * (latency - s[BASE])
      s[HIGH] = 0
      return
    end
    compare(s, latency, in_flight)
    local ratio = min(1, s[BASE] / latency)
    local queue = max(MIN_QUEUE, QUEUE * sqrt(target))
    local following = max(MAX_DECREASE * target, target * ratio + queue)
    if s[IS_SETTLED] == 0 then
      if ratio > UNLOADED then
        following = max(following, 2 * target)
      else
        s[IS_SETTLED], s[COUNTDOWN] = 1, 1
      end
    end
    if following < target or s[PEAK] >= 0.9 * s[LIMIT] then s[TARGET] = following end
    if s[IS_SETTLED] == 0 then return end
    local is_slow = ratio * s[TARGET] < SLOW * (s[TARGET] - queue)
    s[SLOW_WINDOWS] = is_slow and s[SLOW_WINDOWS] + 1 or 0
    s[COUNTDOWN] = s[COUNTDOWN] - 1
    if s[SLOW_WINDOWS] >= 2 or s[COUNTDOWN] <= 0 then s[COUNTDOWN], s[SLOW_WINDOWS] = -1, 0 end
  end
  local function probed(s, latency, in_flight)
    local target, base = s[TARGET], s[BASE]
    s[COUNTDOWN] = s[INTERVAL]
    if s[HIGH] <= 1.1 * in_flight then return end
    local throughput = in_flight * s[HIGH_LATENCY] / (latency * s[HIGH])
    local expected = depth(target) * (1 + QUEUE / sqrt(target))
    if target > SMALL and throughput > 1 - 0.5 * (1 - expected) then
      s[TARGET] = target * depth(target)
      local queued = max(0.85, 1 - 0.7 * QUEUE / sqrt(s[TARGET]))
      s[BASE] = min(base, latency * queued)
      s[HIGH], s[HIGH_LATENCY], s[INTERVAL] = in_flight, latency, FIRST_INTERVAL
      s[COUNTDOWN] = s[TARGET] > SMALL and -1 or FIRST_INTERVAL
      return
    end
    if latency < base then
      s[BASE] = s[BASE] + 0.5 * (latency - base)
    else
      raise(s, latency, in_flight, s[HIGH_LATENCY], s[HIGH])
    end
    local is_confirmed = s[BASE] >= MAX_FALL * base and s[BASE] <= MAX_RISE * base
    s[INTERVAL] = is_confirmed and min(MAX_INTERVAL, 2 * s[INTERVAL]) or FIRST_INTERVAL
    s[COUNTDOWN] = s[INTERVAL]
  end
  local function close(s, lowest, highest, time)
    local total = s[COUNT] + s[DROPS]
    local mean = min(MAX_SETTLING, (s[SUM] + s[DROP_TIME]) / total)
    if s[VARIATION] == 0 then
      s[VARIATION] = 1
      return clear(s, time + 2 * mean)
    end
    if s[COUNT] > 1 and s[SUM] > 0 then
      local variation = s[SQUARES] * s[COUNT] / (s[SUM] * s[SUM]) - 1
      s[VARIATION] = s[VARIATION] + 0.2 * (max(0.001, min(CLIP, variation)) - s[VARIATION])
    end
    local in_flight = s[IN_FLIGHT] / total
    if s[DROPS] > 0.1 * total then
      overloaded(s)
    elseif s[COUNTDOWN] < 0 then
      probed(s, max(1, s[SUM] / s[COUNT]), in_flight)
    else
      follow(s, max(1, s[SUM] / s[COUNT]), in_flight)
    end
    s[TARGET] = max(lowest, min(highest, s[TARGET]))
    if s[TARGET] == highest then s[IS_SETTLED] = 1 end
    local limit = s[COUNTDOWN] < 0 and s[TARGET] * depth(s[TARGET]) or s[TARGET]
    local is_changed = abs(limit - s[LIMIT]) > 0.05 * s[LIMIT]
    clear(s, is_changed and time + mean or time)
  end
  local function add(s, lowest, highest, time, duration, in_flight, outcome)
    if s[TARGET] == 0 then
      s[TARGET], s[COUNTDOWN], s[INTERVAL] = s[LIMIT], FIRST_INTERVAL, FIRST_INTERVAL
    end
    s[TARGET] = max(lowest, min(highest, s[TARGET]))
    if time - s[LAST] > MAX_PAUSE or s[LAST] - time > MAX_STEP_BACK then clear(s, time) end
    s[LAST] = time
    if time < s[SINCE] or outcome == ERROR_OUTCOME then return end
    if outcome == SUCCESS then
      if s[BASE] > 0 then duration = min(duration, CLIP * s[BASE]) end
      s[COUNT] = s[COUNT] + 1
      s[SUM] = s[SUM] + duration
      s[SQUARES] = s[SQUARES] + duration * duration
    else
      s[DROPS] = s[DROPS] + 1
      s[DROP_TIME] = s[DROP_TIME] + duration
    end
    s[PEAK] = max(s[PEAK], in_flight)
    s[IN_FLIGHT] = s[IN_FLIGHT] + in_flight
    if is_complete(s, time) then close(s, lowest, highest, time) end
  end
  complete_call = function(s, lowest, highest, time, duration, in_flight, outcome)
    add(s, lowest, highest, time, duration, in_flight, outcome)
    local limit = floor(s[COUNTDOWN] < 0 and s[TARGET] * depth(s[TARGET]) or s[TARGET])
    s[LIMIT] = max(lowest, min(highest, limit))
  end
end
return complete_call
end
end
if uses[SLOTS] then
local MAX_PER_REQUEST, CHUNK = 1000, 100
local function member_name(holder, i)
  return i == 0 and holder or holder .. '/' .. i
end
local RETENTION, MAX_DURATION = 600000000, 3600000000
local CONTROLLER_SIZE = 24
local function write_signature(k, state)
  local member = 'C' .. state[2]
  if state.learned_at then
    member = string.format('A%.0f:%.0f:%.0f:%.0f:', state[2], state.learned_at, state.lease, state.ages_from)
      .. state.learned
  end
  local previous = state.member
  state.member, states[k] = member, state
  if member == previous then return end
  call('ZADD', KEYS[k], -1, member)
  if previous then call('ZREM', KEYS[k], previous) end
end
local function new_signature(limit)
  if limit[4] == 0 then return {SLOTS, limit[2]} end
  return {SLOTS, limit[5], learned_at = 0, lease = limit[3], ages_from = 0, learned = ''}
end
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
adopt[SLOTS] = function(state, limit, k, commit)
  local key = KEYS[k]
  local slots = {SLOTS, limit[4] > 0 and limit[5] or limit[2], held = 0}
  if not state then return slots, false end
  local is_slots = state[1] == SLOTS
  if is_slots then
    if commit then purge(key, call('ZCOUNT', key, 0, now)) end
    slots.held = call('ZCOUNT', key, now + 1, '+inf')
    if slots.held > 0 then slots.last = tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]) end
  end
  local is_outdated = slots.held == 0 and state.learned_at and limit[4] > 0
    and (state.learned_at == 0 or state.learned_at + RETENTION <= now)
  if not is_slots or is_outdated then
    if commit then
      call('DEL', key)
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
    local rank = call('ZCARD', KEYS[k]) - (max_slots - cost) - 1
    local fits_at = tonumber(call('ZRANGE', KEYS[k], rank, rank, 'WITHSCORES')[2])
    return REFUSED, remaining, reset, fits_at - now
  end
  local last = max(expires_at, slots.last or 0)
  return PASSED, remaining - cost, last - now, 0, {last, expires_at, cost, holder}
end
local function fresh_after(state, last)
  if state.learned_at and state.learned_at > 0 then return max(last, state.learned_at + RETENTION) end
  return last
end
append[SLOTS] = function(request, limit, k)
  local key, expires_at, holder = KEYS[k], request[2], request[4]
  if not states[k] then write_signature(k, new_signature(limit)) end
  local to_add, i = request[3], 0
  while to_add > 0 do
    local members = {}
    for _ = 1, min(to_add, CHUNK) do
      members[#members + 1] = expires_at
      members[#members + 1] = member_name(holder, i)
      i = i + 1
    end
    to_add = to_add - call('ZADD', key, 'NX', unpack(members))
  end
  if sets_expiry then call('PEXPIRE', key, ttl(fresh_after(states[k], request[1]))) end
end
local function signature_of(k)
  if changed[k] then return {} end
  if not states[k] then states[k] = read_state(k, SLOTS) end
  return states[k]
end
local function has_slots(key)
  local first = redis.pcall('ZRANGE', key, 0, 0)
  return not first.err and first[1] and first[1]:find('^[CA]') ~= nil
end
local function count_slots(key, holder)
  if not has_slots(key) then return 0 end
  purge(key, call('ZCOUNT', key, 0, now))
  local expires_at = call('ZSCORE', key, holder)
  if not expires_at or tonumber(expires_at) <= now then return 0 end
  local low, high = 1, 2
  while high <= MAX_PER_REQUEST and call('ZSCORE', key, member_name(holder, high - 1)) do low, high = high, high * 2 end
  while low + 1 < high do
    local middle = floor((low + high) / 2)
    if call('ZSCORE', key, member_name(holder, middle - 1)) then low = middle else high = middle end
  end
  return low
end
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
  if state.learned_at then
    state.ages_from = max(state.ages_from, tonumber(call('ZSCORE', key, holder)))
    write_signature(k, state)
  end
  if sets_expiry then
    call('PEXPIRE', key, ttl(fresh_after(state, tonumber(call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]))))
  end
  return 1
end
local function release(k, holder, held, count)
  if held == 0 then return 0 end
  local key = KEYS[k]
  each_chunk(holder, max(0, held - count), held - 1, nil, function(...) call('ZREM', key, ...) end)
  if call('ZCARD', key) == 1 and (signature_of(k).learned_at or 0) == 0 then
    call('DEL', key)
    if not changed[k] then states[k] = nil end
  end
  return 1
end
slot_operations.release = function(k, limit, holder)
  local held = count_slots(KEYS[k], holder)
  return release(k, holder, held, held)
end
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
end
if uses[FAIR] then
local function define_fair_operations(divide, find)
local WEIGHTS, CHUNK, RESTARTED = 4503599627370496, 100, 2
local operations = {}
local function read_all(state, key)
  if not state.is_stored then return end
  local members, unknown = call('ZRANGEBYSCORE', key, 0, WEIGHTS, 'WITHSCORES'), {}
  for i = 1, #members, 2 do
    local id = members[i]:sub(2)
    if state.tenants[id] == nil then
      unknown[id] = {tonumber(members[i + 1]), 1, 1}
      state.tenants[id] = unknown[id]
    end
  end
  if state[16] == 0 then return end
  members = call('ZRANGEBYSCORE', key, WEIGHTS + 1, '+inf', 'WITHSCORES')
  for i = 1, #members, 2 do
    local tenant, weight = unknown[members[i]:sub(2)], tonumber(members[i + 1]) - WEIGHTS
    if tenant then tenant[2], tenant[3] = weight, weight end
  end
end
operations.convert = function(state, key, empty_at, slack, refill_time, full, at)
  read_all(state, key)
  local virtual, period_start, previous_start, last = state[7], state[10], state[11], RESTARTED
  local is_same, tenants, dirty = full == state[5], {}, {}
  for id, tenant in pairs(state.tenants) do
    local finish = tenant and tenant[1] or 0
    if finish > previous_start then
      if finish > virtual then
        finish = RESTARTED + (is_same and finish - virtual or scaled(finish - virtual, state[5], full))
      else
        finish = finish > period_start and RESTARTED or 1
      end
      tenants[id], dirty[id], last = {finish, tenant[2]}, true, max(last, finish)
    end
  end
  local period = floor(at / max(1000000, refill_time))
  return {FAIR, empty_at, slack, refill_time, full, at, RESTARTED, is_same and state[8] or 0, period, 1, 0,
    state[12], state[13], state[14], last, 0, 0, 0, 0, tenants = tenants, dirty = dirty}
end
operations.copy_and_charge = function(charge)
  local state = charge[1]
  local copy = {unpack(state, 1, 19)}
  copy.tenants, copy.dirty, copy.is_stored, copy.header = {}, {}, state.is_stored, state.header
  for id, tenant in pairs(state.tenants) do copy.tenants[id] = tenant end
  for id in pairs(state.dirty) do copy.dirty[id] = true end
  charge[1] = copy
  return append[FAIR](charge)
end
operations.give_back = function(state, limit, k, cost, charged_at, was_fresh_at, share)
  local permits, wait, unrefilled = limit[2], state[2] - now, was_fresh_at - now
  if wait <= 0 or wait > state[4] or unrefilled <= 0 then return nil end
  local returned = cost * limit[3]
  if unrefilled < returned / permits then returned = unrefilled * permits end
  local rest_debt = max(0, wait * permits - state[3] - returned)
  local repaid_in = ceil(rest_debt / permits)
  state[2], state[3] = now + repaid_in, repaid_in * permits - rest_debt
  local id = share[1]
  local tenant = find(state, KEYS[k], id)
  if tenant and tenant[1] > state[7] then
    local whole, part = divide(returned, limit[3])
    local ticks = divide(whole * limit[7] + divide(part * limit[7], limit[3]), tenant[2])
    local finish = max(tenant[1] - ticks, state[7] + 1)
    state.tenants[id], state.dirty[id] = {finish, tenant[2], tenant[3]}, true
    state[18] = min(state[18], finish)
  end
  return state
end
operations.drop_inactive = function(state, key, count)
  local members = call('ZRANGEBYSCORE', key, 0, state[11], 'LIMIT', 0, count)
  for first = 1, #members, CHUNK do
    local chunk = {unpack(members, first, min(#members, first + CHUNK - 1))}
    state[17] = state[17] - call('ZREM', key, unpack(chunk))
    if state[16] > 0 then
      for i = 1, #chunk do chunk[i] = 'w' .. chunk[i]:sub(2) end
      state[16] = state[16] - call('ZREM', key, unpack(chunk))
    end
  end
end
return operations
end
local MAX_TENANTS, MAX_VIRTUAL, MAX_ENDED, OTHERS = 1024, 2251799813685248, 16, '\0others'
local WEIGHTS, SUM, CHUNK = 4503599627370496, 2048, 100
local operations
local function divide(a, b)
  local quotient = floor(a / b)
  local remainder = a - quotient * b
  if remainder < 0 then return quotient - 1, remainder + b end
  return quotient, remainder
end
local function find(state, key, id)
  local tenant = state.tenants[id]
  if tenant == nil and state.is_stored then
    local finish, weight = call('ZSCORE', key, 't' .. id), 1
    if finish and state[16] > 0 then weight = tonumber(call('ZSCORE', key, 'w' .. id) or WEIGHTS + 1) - WEIGHTS end
    tenant = finish and {tonumber(finish), weight, weight}
    state.tenants[id] = tenant
  end
  return tenant
end
local function rare(operation, ...)
  operations = operations or define_fair_operations(divide, find)
  return operations[operation](...)
end
local function begin_period(state, time)
  local period = floor(time / max(1000000, state[4]))
  if period <= state[9] then return end
  if period == state[9] + 1 then
    state[11], state[14] = state[10], state[13]
  else
    state[11], state[14] = state[7], 0
  end
  state[9], state[10], state[13] = period, state[7], 0
end
local function repay(state, key, ticks)
  local left, virtual, indebted, current = ticks + state[8], state[7], state[12], state[13]
  local from, ended, debts, index, size = virtual + 1, 0, {}, 1, 4
  while indebted > 0 do
    local weight = floor(indebted / SUM)
    local advance, rest = divide(left, weight)
    if virtual + advance < state[18] then
      state[7], state[8], state[12], state[13] = virtual + advance, rest, indebted, current
      return ended
    end
    if index > #debts then
      debts, index = call('ZRANGEBYSCORE', key, from, WEIGHTS, 'WITHSCORES', 'LIMIT', ended, size), 1
      size = CHUNK
    end
    local finish = tonumber(debts[index + 1])
    if not finish then break end
    state[18] = finish
    if virtual + advance >= finish then
      left, virtual = left - (finish - virtual) * weight, finish
      local own = 1
      if state[16] > 0 then
        own = tonumber(call('ZSCORE', key, 'w' .. debts[index]:sub(2)) or WEIGHTS + 1) - WEIGHTS
      end
      indebted, current = indebted - own * SUM - 1, current + own * SUM + 1
      index, ended = index + 2, ended + 1
    end
  end
  state[7], state[8], state[12], state[13] = virtual, 0, 0, current
  return ended
end
local function advanced(state, limit, key)
  if state.advanced_by == limit then return state.advanced, state.ended end
  local indebted, elapsed = state[12], now - state[6]
  local is_repaid, is_new_period = indebted > 0 and now >= state[2], floor(now / max(1000000, state[4])) > state[9]
  if not is_repaid and not is_new_period and (indebted == 0 or elapsed <= 0) then return state, 0 end
  local next_state, ended = {unpack(state, 1, 19)}, 0
  next_state.tenants, next_state.dirty = state.tenants, state.dirty
  next_state.is_stored, next_state.header = state.is_stored, state.header
  if indebted > 0 then
    if is_new_period then begin_period(next_state, min(now, state[2])) end
    if is_repaid then
      next_state[7], next_state[8], next_state[12] = state[15], 0, 0
      next_state[13] = next_state[13] + indebted
    elseif elapsed > 0 then
      local period, scale = limit[3], limit[7]
      local permits, rest = divide(elapsed >= limit[6] and limit[4] or elapsed * limit[2], period)
      ended = repay(next_state, key, permits * scale + (divide(rest * scale, period)))
    end
  end
  if is_new_period then begin_period(next_state, now) end
  next_state[6] = max(now, state[6])
  state.advanced_by, state.advanced, state.ended = limit, next_state, ended
  return next_state, ended
end
adopt[FAIR] = function(state, limit, k)
  local refill_time, full = limit[6], limit[5] * limit[7]
  local kind = state and state[1]
  local has_same_pool = (kind == FAIR or kind == BUCKET) and state[4] == refill_time and state[3] < limit[2]
  if kind == FAIR and has_same_pool and state[5] == full then
    local now_state, ended = advanced(state, limit, KEYS[k])
    return now_state, ended >= MAX_ENDED
  end
  local empty_at, slack = 0, 0
  if has_same_pool then
    empty_at, slack = state[2], state[3]
  elseif state then
    empty_at = now + carried_over(state, KEYS[k], refill_time)
  end
  if kind == FAIR then
    local next_state = rare('convert', state, KEYS[k], empty_at, slack, refill_time, full, now)
    return (advanced(next_state, limit, KEYS[k])), true
  end
  local period = floor(now / max(1000000, refill_time))
  return {FAIR, empty_at, slack, refill_time, full, now, 0, 0, period, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    tenants = {}, dirty = {}}, state and true or false
end
step[FAIR] = function(state, limit, k, cost, share)
  local permits, period, units, scale = limit[2], limit[3], limit[4], limit[7]
  local virtual, rest, indebted, current, previous = state[7], state[8], state[12], state[13], state[14]
  local id, own = share[1], share[2]
  local tenant = find(state, KEYS[k], id)
  local is_active = tenant and tenant[1] > state[11]
  if not is_active and indebted % SUM + current % SUM + previous % SUM >= MAX_TENANTS then
    id, own = OTHERS, 1
    tenant = find(state, KEYS[k], id)
    is_active = tenant and tenant[1] > state[11]
  end
  local finish = is_active and tenant[1] or virtual
  if is_active and tenant[2] ~= own then
    local change = (own - tenant[2]) * SUM
    if finish > virtual then
      rest = divide(rest * floor((indebted + change) / SUM), floor(indebted / SUM))
      indebted = indebted + change
      finish = virtual + max(1, (divide((finish - virtual) * tenant[2], own)))
    elseif finish > state[10] then
      current = current + change
    else
      previous = previous + change
    end
  end
  local in_debt = floor(indebted / SUM)
  local weight = in_debt + floor(current / SUM) + floor(previous / SUM) + (is_active and 0 or own)
  local bound, owed = divide(state[5], weight + 1), max(0, finish - virtual)
  local empty_at, slack, wait = state[2], state[3], max(0, state[2] - now)
  local debt = wait > limit[6] and units or wait > 0 and wait * permits - slack or 0
  local outcome, retry, charge, certain = PASSED, 0, nil, nil
  if cost > limit[5] then
    outcome = EXCEEDS
  elseif cost > 0 then
    local units_due, price = cost * period, divide(cost * scale, own)
    local in_share, in_pool = owed == 0 or owed + price <= bound, debt <= units - units_due
    if in_share and in_pool then
      local ends = virtual + owed + price
      local first_end = in_debt == 0 and ends or min(state[18], ends)
      if owed == 0 then
        if is_active and finish > state[10] then
          current = current - own * SUM - 1
        elseif is_active then
          previous = previous - own * SUM - 1
        end
        rest = in_debt == 0 and 0 or divide(rest * (in_debt + own), in_debt)
        indebted = indebted + own * SUM + 1
      end
      local new_debt = units_due - (wait == 0 and 0 or slack)
      local repaid_in = ceil(new_debt / permits)
      charge = {state, now + wait + repaid_in, repaid_in * permits - new_debt, rest, indebted, current, previous,
        max(state[15], ends), first_end, id, {ends, own, tenant and tenant[3]}}
      owed, debt, wait = owed + price, debt + units_due, wait + repaid_in
    else
      outcome, certain = REFUSED, 0
      if not in_share then
        local ticks = owed + min(0, price - bound)
        retry = wait
        if ticks <= divide(state[5], in_debt) then
          local whole, part = divide(ticks * in_debt - rest, scale)
          local time, more = divide(whole * period + ceil(part * period / scale), permits)
          retry = min(retry, more > 0 and time + 1 or time)
        end
        local repaid = min(ticks - 1, (divide(state[5], own))) * own - 1
        if repaid > 0 then
          local whole, part = divide(repaid, scale)
          local time = divide(whole * period + (divide(part * period, scale)), permits)
          certain = min(retry, time, max(0, (state[9] + 1) * max(1000000, state[4]) - now))
        end
      end
      if not in_pool then
        local pool_retry = empty_at - floor((units - units_due + slack) / permits) - now
        retry, certain = max(retry, pool_retry), max(certain, pool_retry)
      end
    end
  end
  local in_share = divide(max(0, bound - owed) * own, scale)
  if owed == 0 then in_share = max(1, in_share) end
  return outcome, min(in_share, (divide(max(0, units - debt), period))), wait, retry, charge, certain
end
append[FAIR] = function(charge, limit, k)
  local state, id = charge, charge[10]
  if charge[1] ~= FAIR then
    state = charge[1]
    state[2], state[3], state[6], state[8] = charge[2], charge[3], max(now, state[6]), charge[4]
    state[12], state[13], state[14], state[15], state[18] = charge[5], charge[6], charge[7], charge[8], charge[9]
    state.tenants[id], state.dirty[id] = charge[11], true
  end
  if k then states[k], changed[k] = state, true end
  return state
end
state_after[FAIR] = function(charge)
  return rare('copy_and_charge', charge)
end
give_back[FAIR] = function(...)
  return rare('give_back', ...)
end
store_set[FAIR] = function(state, key)
  if state[7] > MAX_VIRTUAL then
    state = rare('convert', state, key, state[2], state[3], state[4], state[5], state[6])
  end
  local previous_expiry = state.is_stored and state[19] or nil
  if not state.is_stored then call('DEL', key) end
  local members, size, removed, added = {}, 0, {state.header}, 0
  for id in pairs(state.dirty) do
    local tenant = state.tenants[id]
    local weight, known_weight = tenant[2], tenant[3]
    if not known_weight then added = added + 1 end
    if weight ~= (known_weight or 1) then
      if weight == 1 then
        removed[#removed + 1] = 'w' .. id
        state[16] = state[16] - 1
      else
        members[size + 1], members[size + 2] = weight + WEIGHTS, 'w' .. id
        if not known_weight or known_weight == 1 then state[16] = state[16] + 1 end
        size = size + 2
      end
    end
    members[size + 1], members[size + 2] = tenant[1], 't' .. id
    size = size + 2
    if size >= CHUNK then
      call('ZADD', key, unpack(members))
      members, size = {}, 0
    end
  end
  state[17] = state[17] + added
  if state.is_stored and state[17] > state[12] % SUM + state[13] % SUM + state[14] % SUM then
    if size > 0 then call('ZADD', key, unpack(members)) end
    members, size = {}, 0
    rare('drop_inactive', state, key, 2 * added + 8)
  end
  local fresh = state[2] + 2 * max(1000000, state[4])
  state[19] = expiry_for(fresh, (fresh - now) / 4, previous_expiry)
  local header = 'F' .. struct.pack(FAIR_FORMAT, unpack(state, 2, 19))
  members[size + 1], members[size + 2] = -1, header
  call('ZADD', key, unpack(members))
  if header == state.header then removed = {unpack(removed, 2)} end
  if #removed > 0 then call('ZREM', key, unpack(removed)) end
  if sets_expiry and state[19] ~= previous_expiry then
    call('PEXPIRE', key, ceil((state[19] * 1000000 - now) / 1000))
  end
end
end
local function define_holds()
local MAX_HOLDERS, MAX_INTEGER, MAX_WAIT = 64, 9007199254740992, 3155760000000000
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local function is_holdable(limit)
  local kind = limit[1]
  return kind == FIXED or kind == SLIDING or kind == BUCKET and limit[7] == 0
end
local function capacity_of(limit)
  return limit[1] == BUCKET and limit[5] or limit[2]
end
local function matches_limit(state, limit)
  if state[1] ~= limit[1] then return false end
  if state[1] == BUCKET then return state[4] == limit[6] and state[3] < limit[2] end
  if state[1] == FIXED then return state[4] == limit[2] and state[5] == limit[3] end
  return #state == limit[3] + 5 and state[3] == limit[4] and state[4] == limit[2]
end
local function charge_unchecked(state, limit, cost)
  if cost == 0 then return state end
  if limit[1] == BUCKET then
    local permits, period = limit[2], limit[3]
    local wait = max(0, state[2] - now)
    local price = min(cost, max(limit[5], floor((MAX_INTEGER - permits) / period))) * period
    local new_debt = wait == 0 and price or price - state[3]
    local repaid_in = ceil(new_debt / permits)
    if wait + repaid_in > MAX_WAIT then return {BUCKET, now + MAX_WAIT, 0, state[4]} end
    return {BUCKET, now + wait + repaid_in, repaid_in * permits - new_debt, state[4]}
  end
  local next_state, total = {}, 0
  for i = 1, #state do next_state[i] = state[i] end
  if limit[1] == FIXED then
    next_state[3] = next_state[3] + min(cost, MAX_INTEGER - next_state[3])
    return next_state
  end
  for i = 5, #state do total = total + state[i] end
  local newest = next_state[#next_state]
  next_state[#next_state] = newest + max(0, min(cost, floor(MAX_INTEGER / limit[4]) - newest, MAX_INTEGER - total))
  return next_state
end
local function charged_state(state)
  return state[1] == HELD and state.state or state
end
local function with_holds(state, holds, limit, k)
  if #holds == 0 then return state end
  return {HELD, state = state, capacity = capacity_of(limit), holds = holds, limit = limit, k = k}
end
local function convert(held, limit, k)
  local capacity = capacity_of(limit)
  if held.capacity == capacity and matches_limit(held.state, limit) then return held, false end
  local holds, total, before = {}, 0, 0
  for _, entry in ipairs(held.holds) do
    total = total + entry[2]
    local up_to = scaled(total, held.capacity, capacity)
    if up_to > before then holds[#holds + 1] = {entry[1], up_to - before, entry[3], entry[4]} end
    before = up_to
  end
  return with_holds((adopt[limit[1]](held.state, limit, k)), holds, limit, k), true
end
local function belongs_to_other_limit(state, limit, k)
  if not state then return false end
  local charged = charged_state(state)
  if matches_limit(charged, limit) then return false end
  if state[1] == HELD and state.holds[#state.holds][3] > now then return true end
  local kind = charged[1]
  if kind == BUCKET then return charged[2] > now end
  if kind == FAIR then return charged[2] + 2 * max(1000000, charged[4]) > now end
  if kind == FIXED then return charged[3] > 0 and charged[2] > now end
  if kind == SLIDING then
    for i = #charged, 5, -1 do
      if charged[i] > 0 then return (charged[2] + i - 4) * charged[3] > now end
    end
    return false
  end
  local last = tonumber(call('ZREVRANGE', KEYS[k], 0, 0, 'WITHSCORES')[2])
  if kind == ROLLING then return last >= 0 and last + charged[2] > now end
  return last > now
end
local function settle(held, limit, k, until_time)
  local state, expired, real_now = held.state, 0, now
  for _, entry in ipairs(held.holds) do
    if entry[3] > until_time then break end
    now = entry[3]
    state = charge_unchecked((adopt[limit[1]](state, limit, k)), limit, entry[2])
    expired = expired + 1
  end
  now = real_now
  return with_holds(state, {unpack(held.holds, expired + 1)}, limit, k), expired > 0
end
fresh_at[HELD] = function(held)
  local last = settle(held, held.limit, held.k, math.huge)
  return fresh_at[last[1]](last)
end
local function decode(stored)
  local holds, state = {}, {}
  local first = 4 + stored[2] * 4
  for i = 4, first - 1, 4 do holds[#holds + 1] = {stored[i], stored[i + 1], stored[i + 2], stored[i + 3]} end
  for i = first, #stored do state[#state + 1] = stored[i] end
  return {HELD, state = state, capacity = stored[3], holds = holds}
end
local function encode(held)
  local stored = {HELD, #held.holds, held.capacity}
  for _, entry in ipairs(held.holds) do
    for i = 1, 4 do stored[#stored + 1] = entry[i] end
  end
  for _, number in ipairs(held.state) do stored[#stored + 1] = number end
  return stored
end
local function as_utilization(held, k)
  local ALL, total = 1048576, 0
  for _, entry in ipairs(held.holds) do total = total + entry[2] end
  local used = carried_over(held.state, KEYS[k], ALL) + scaled(total, held.capacity, ALL)
  return {BUCKET, now + min(ALL, used), 0, ALL}
end
local function load_held(held, k, limit, commit)
  local kind = limit[1]
  if not is_holdable(limit) then
    local state_now = adopt[kind](as_utilization(held, k), limit, k, commit)
    if commit and (kind == BUCKET or kind == FAIR) then states[k], changed[k] = state_now, true end
    return state_now
  end
  local converted, was_converted = convert(held, limit, k)
  local rest, expired = settle(converted, limit, k, now)
  local state, altered = adopt[kind](charged_state(rest), limit, k)
  local state_now = rest[1] == HELD and with_holds(state, rest.holds, limit, k) or state
  if commit and (was_converted or expired or altered) then states[k], changed[k] = state_now, true end
  return state_now
end
step[HELD] = function(held, limit, k, cost)
  local kind, state, holds, held_total = limit[1], held.state, held.holds, 0
  for _, entry in ipairs(holds) do held_total = held_total + entry[2] end
  local capacity = capacity_of(limit)
  local _, available = step[kind](state, limit, k, 0)
  local left = max(0, available - held_total)
  if cost > 0 and cost <= left then
    local _, _, _, _, next_state = step[kind](state, limit, k, cost)
    next_state = with_holds(next_state, holds, limit, k)
    return PASSED, left - cost, max(now, fresh_at[HELD](next_state)) - now, 0, next_state
  end
  local reset = max(now, fresh_at[HELD](held)) - now
  if cost == 0 then return PASSED, left, reset, 0 end
  if cost > capacity then return EXCEEDS, left, reset, 0 end
  if cost > capacity - held_total then return REFUSED, left, reset, holds[1][3] - now end
  local _, _, _, wait = step[kind](state, limit, k, cost + held_total)
  return REFUSED, left, reset, wait
end
give_back[HELD] = function(held, limit, k, cost, charged_at, was_fresh_at)
  local next_state = give_back[limit[1]](held.state, limit, k, cost, charged_at, was_fresh_at)
  return next_state and with_holds(next_state, held.holds, limit, k)
end
local function request_hold(k, limit, holder, order, spent, reported_hold, hold_end, cost, want, lease)
  local state_now = load_state(k, limit, cost > 0)
  if cost == 0 then
    if belongs_to_other_limit(states[k], limit, k) then
      local kind, remaining, reset, wait = step[state_now[1]](state_now, limit, k, 0)
      add_outcome(kind, remaining, reset, wait)
      n = n + 1
      reply[n] = 0
      return
    end
    state_now = load_state(k, limit, true)
  end
  local others, own_amount, held_by_others = {}, 0, 0
  for _, entry in ipairs(state_now.holds or {}) do
    if entry[1] == holder then
      if entry[4] > order then
        local kind, remaining, reset, wait = step[state_now[1]](state_now, limit, k, 0)
        if cost > 0 then kind, wait = REFUSED, 1 end
        add_outcome(kind, remaining, reset, wait)
        n = n + 1
        reply[n] = 0
        return
      end
      own_amount = own_amount + entry[2]
    else
      others[#others + 1] = entry
      held_by_others = held_by_others + entry[2]
    end
  end
  local function with_own_hold(amount, state)
    local holds, expires_at = {unpack(others)}, now + lease
    if amount > 0 then
      local index = #holds
      while index > 0 and holds[index][3] > expires_at do index = index - 1 end
      table.insert(holds, index + 1, {holder, amount, expires_at, order})
    end
    return with_holds(state, holds, limit, k)
  end
  local used = 0
  if own_amount > 0 then
    if own_amount == reported_hold then
      used = spent
    elseif spent == reported_hold then
      used = own_amount
    else
      used = scaled(spent, reported_hold, own_amount)
    end
  elseif now < hold_end then
    used = spent
  end
  local unspent = max(0, own_amount - used)
  local spent_state = charge_unchecked(charged_state(state_now), limit, used)
  local held = with_own_hold(unspent, spent_state)
  local kind, remaining, reset, wait, next_state = step[held[1]](held, limit, k, cost)
  local _, available = step[limit[1]](spent_state, limit, k, 0)
  local hold = min(unspent, want, max(hold_end == 0 and 0 or reported_hold - spent, available - held_by_others))
  if kind == PASSED and #others < MAX_HOLDERS then hold = hold + min(want - hold, remaining) end
  held = with_own_hold(hold, charged_state(next_state or held))
  states[k], changed[k] = held, true
  kind, remaining, reset = kind, select(2, step[held[1]](held, limit, k, 0))
  add_outcome(kind, remaining, reset, wait)
  n = n + 1
  reply[n] = hold
end
local function report(k, limit, cost)
  local state_now = load_state(k, limit, false)
  local is_counted = not belongs_to_other_limit(states[k], limit, k)
  if is_counted then state_now = load_state(k, limit, true) end
  local state = charge_unchecked(charged_state(state_now), limit, is_counted and cost or 0)
  if is_counted and cost > 0 then states[k], changed[k] = with_holds(state, state_now.holds or {}, limit, k), true end
  reply[n + 1], reply[n + 2], reply[n + 3] = is_counted and 1 or 0, state[1], #state - 1
  n = n + 3
  for i = 2, #state do
    n = n + 1
    reply[n] = state[i]
  end
end
local function charge_with_holds(state, limit, k, cost)
  return with_holds(charge_unchecked(charged_state(state), limit, cost), state.holds or {}, limit, k)
end
return {
  load_state = load_held, request_hold = request_hold, report = report, decode = decode, encode = encode,
  is_holdable = is_holdable, belongs_to_other_limit = belongs_to_other_limit, charge_unchecked = charge_with_holds,
}
end
local function read_signature(member)
  if not member then return false end
  if member:byte() == 70 then
    local state = {FAIR, struct.unpack(FAIR_FORMAT, member, 2)}
    state.tenants, state.dirty, state.is_stored, state.header = {}, {}, true, member
    return state
  end
  local window, permits = member:match('^R(%d+):(%d+)$')
  if window then return {ROLLING, tonumber(window), tonumber(permits)} end
  local max_slots = member:match('^C(%d+)$')
  if max_slots then return {SLOTS, tonumber(max_slots), member = member} end
  local slots, learned_at, lease, ages_from, learned = member:match('^A(%d+):(%d+):(%d+):(%d+):(.*)$')
  return {
    SLOTS, tonumber(slots), learned_at = tonumber(learned_at), lease = tonumber(lease), ages_from = tonumber(ages_from),
    learned = learned, member = member,
  }
end
read_state = function(k, kind)
  local key, text = KEYS[k], nil
  if kind == ROLLING or kind == SLOTS or kind == FAIR then
    local first = redis.pcall('ZRANGE', key, 0, 0)
    if not first.err then return read_signature(first[1]) end
    text = call('GET', key)
  else
    text = redis.pcall('GET', key)
    if not text then return false end
    if type(text) ~= 'string' then return read_signature(call('ZRANGE', key, 0, 0)[1]) end
  end
  local state = {cmsgpack.unpack(text)}
  if type(state[1]) == 'table' then
    state = {BUCKET, state[1][2], state[1][3], state[1][4]}
  end
  if state[1] == HELD then
    holds = holds or define_holds()
    return holds.decode(state)
  end
  sizes[k] = #text
  if state[1] == BUCKET then
    expiries[k], state[5] = state[5], nil
  elseif state[1] == kind then
    local fresh = fresh_at[kind](state)
    expiries[k] = fresh > now and expiry_for(fresh, 0) or nil
  end
  return state
end
load_state = function(k, limit, commit)
  local kind, state = limit[1], states[k]
  if state == nil then
    state = read_state(k, kind)
    states[k] = state
  end
  if state and state[1] == HELD then return holds.load_state(state, k, limit, commit) end
  local adopted, altered = adopt[kind](state, limit, k, commit)
  if altered and commit then states[k], changed[k] = adopted, true end
  return adopted
end
local function apply_charge(k, limit, next_state)
  local append_member = append[limit[1]]
  if append_member then
    append_member(next_state, limit, k)
  else
    states[k], changed[k] = next_state, true
  end
end
local function define_reservations()
local UNKNOWN, OPEN, SETTLED, EXPIRED = 0, 1, 2, 3
local UPDATE, SETTLE = 0, 1
local USED, USED_OR_RESERVED, RESERVED = 0, 1, 2
local MAX_PIECES, UNREPORTED = 8, -1
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
holds = holds or define_holds()
local function total(ledger)
  local sum = 0
  for _, piece in ipairs(ledger.pieces) do sum = sum + piece[1] end
  return sum
end
local function add_piece(ledger, amount, state)
  local pieces = ledger.pieces
  pieces[#pieces + 1] = {amount, now, max(now, fresh_at[state[1]](state))}
  if #pieces > MAX_PIECES then
    local first = table.remove(pieces, 1)
    pieces[1] = {first[1] + pieces[1][1], min(first[2], pieces[1][2]), min(first[3], pieces[1][3])}
  end
end
local function correct_to(c, target)
  local limit, ledger, charged = c.limit, c.ledger, total(c.ledger)
  if target == charged or not holds.is_holdable(limit) then return end
  local state = load_state(c.k, limit, false)
  if holds.belongs_to_other_limit(states[c.k], limit, c.k) then return end
  state = load_state(c.k, limit, true)
  if target > charged then
    state = holds.charge_unchecked(state, limit, c.k, target - charged)
    states[c.k], changed[c.k] = state, true
    add_piece(ledger, target - charged, state)
  elseif c.same_limit then
    local rest, pieces = charged - target, ledger.pieces
    while rest > 0 do
      local piece = table.remove(pieces)
      local returned = min(rest, piece[1])
      local next_state = give_back[state[1]](state, limit, c.k, returned, piece[2], piece[3])
      if next_state then
        state = next_state
        states[c.k], changed[c.k] = state, true
      end
      if returned < piece[1] then pieces[#pieces + 1] = {piece[1] - returned, piece[2], piece[3]} end
      rest = rest - returned
    end
  end
end
local function remaining(c)
  local state = load_state(c.k, c.limit, false)
  local _, left = step[state[1]](state, c.limit, c.k, 0, c.holder)
  return left
end
local function finish(c, target)
  if c.limit[1] == SLOTS then
    slot_operations.release(c.k, c.limit, c.holder)
  else
    correct_to(c, target)
  end
end
local function charge_at_expiry(c)
  local used, charged = c.ledger.used, total(c.ledger)
  if c.on_expiry == USED then return max(0, used) end
  if c.on_expiry == USED_OR_RESERVED then return used == UNREPORTED and charged or used end
  if c.on_expiry == RESERVED then return max(charged, used) end
  return 0
end
local function grow(counters)
  local next_states = {}
  for i, c in ipairs(counters) do
    if c.more > 0 then
      if not holds.is_holdable(c.limit) or total(c.ledger) + c.more > c.max_amount then return false end
      local state = load_state(c.k, c.limit, false)
      local kind, _, _, _, next_state = step[state[1]](state, c.limit, c.k, c.more)
      if kind ~= PASSED then return false end
      next_states[i] = next_state
    end
  end
  for i, c in ipairs(counters) do
    if c.more > 0 then
      states[c.k], changed[c.k] = next_states[i], true
      add_piece(c.ledger, c.more, next_states[i])
    end
  end
  return true
end
local function update(counters)
  for _, c in ipairs(counters) do
    if c.limit[1] == SLOTS then
      slot_operations.renew(c.k, c.limit, c.holder)
    elseif c.target ~= UNREPORTED then
      c.ledger.used = max(c.ledger.used, c.target)
      if c.ledger.used > total(c.ledger) then correct_to(c, c.ledger.used) end
    end
  end
end
local function settle(counters)
  for _, c in ipairs(counters) do
    if c.target ~= UNREPORTED then c.ledger.used = c.target end
    finish(c, c.target == UNREPORTED and total(c.ledger) or c.target)
  end
end
local function read_record(text)
  local fields, ledgers = {cmsgpack.unpack(text)}, {}
  local at = 3
  while at <= #fields do
    local pieces, count = {}, fields[at + 2]
    for i = at + 3, at + 2 + 3 * count, 3 do pieces[#pieces + 1] = {fields[i], fields[i + 1], fields[i + 2]} end
    ledgers[fields[at]] = {used = fields[at + 1], pieces = pieces}
    at = at + 3 + 3 * count
  end
  return fields[1], fields[2], ledgers
end
local function write_record(key, status, expires_at, ledgers)
  local fields = {status, expires_at}
  for index, ledger in pairs(ledgers) do
    fields[#fields + 1], fields[#fields + 2], fields[#fields + 3] = index, ledger.used, #ledger.pieces
    for _, piece in ipairs(ledger.pieces) do
      for i = 1, 3 do fields[#fields + 1] = piece[i] end
    end
  end
  local text = cmsgpack.pack(unpack(fields))
  if sets_expiry then
    call('SET', key, text, 'EXAT', ceil((max(now, expires_at) + KEPT) / 1000000))
  else
    call('SET', key, text)
  end
end
return function(record)
  local key, action, began_until, ttl, count = KEYS[record], unpack(args, pos, pos + 3)
  pos = pos + 4
  local counters = {}
  for i = 1, count do
    local c = {
      index = args[pos], k = args[pos + 1], limit = limits[args[pos + 2]], target = args[pos + 3], more = args[pos + 4],
      same_limit = args[pos + 8] == 1, max_amount = args[pos + 9], on_expiry = args[pos + 10], holder = args[pos + 11],
      ledger = {used = UNREPORTED, pieces = {{args[pos + 5], args[pos + 6], args[pos + 7]}}},
    }
    if c.limit[1] == FAIR then c.holder = {c.holder, 1} end
    pos = pos + 12
    counters[i] = c
  end
  local text = call('GET', key)
  local status, expires_at, ledgers = OPEN, began_until, {}
  if text then
    status, expires_at, ledgers = read_record(text)
  end
  if now > expires_at + KEPT then
    n = n + 1
    reply[n] = UNKNOWN
    return
  end
  local was_exhausted, wants_more, grown, is_changed = {}, false, false, true
  for i, c in ipairs(counters) do
    c.ledger = ledgers[c.index] or c.ledger
    ledgers[c.index] = c.ledger
    was_exhausted[i] = remaining(c) == 0
    wants_more = wants_more or c.more > 0
  end
  if action == SETTLE and (status == OPEN or status == EXPIRED) then
    settle(counters)
    status = SETTLED
  elseif action == UPDATE and status == OPEN then
    update(counters)
    expires_at = max(expires_at, now + ttl)
    grown = wants_more and grow(counters)
  elseif action > SETTLE and status == OPEN and now >= expires_at then
    for _, c in ipairs(counters) do finish(c, charge_at_expiry(c)) end
    status = EXPIRED
  else
    is_changed = false
  end
  if is_changed then write_record(key, status, expires_at, ledgers) end
  reply[n + 1], reply[n + 2], reply[n + 3] = status, expires_at, grown and 1 or 0
  n = n + 3
  for i, c in ipairs(counters) do
    local left = remaining(c)
    reply[n + 1], reply[n + 2], reply[n + 3] = total(c.ledger), c.ledger.used + 1, left
    reply[n + 4] = was_exhausted[i] and left > 0 and 1 or 0
    n = n + 4
  end
end
end
if has_multi then
local ANY, WEIGHTED = 1, 2
local function retry_after(part)
  local first, last = math.huge, 0
  for _, c in ipairs(part) do
    first, last = min(first, c.passes_after), max(last, c.passes_after)
  end
  if part.combine == ANY then return first end
  if part.combine ~= WEIGHTED then return last end
  local earliest = math.huge
  for _, candidate in ipairs(part) do
    local time, weight_sum, passing = candidate.passes_after, 0, 0
    for _, c in ipairs(part) do
      weight_sum = weight_sum + c.weight
      if c.passes_after <= time then passing = passing + c.weight end
    end
    if passing * 1000 >= weight_sum * part.permille then earliest = min(earliest, time) end
  end
  return earliest
end
evaluate_multi = function(count, commit)
  local charges, allowed = {}, true
  local spent, last = {}, {}
  for p = 1, count do
    local part = {combine = args[pos + 1], permille = args[pos + 2], enforced = args[pos + 3] == 1}
    local size = args[pos]
    pos = pos + 4
    for i = 1, size do
      local c = {k = args[pos], limit = limits[args[pos + 1]], cost = args[pos + 2], part = part}
      pos = pos + 3
      if c.limit[1] == SLOTS then
        c.holder = args[pos]
        pos = pos + 1
      end
      if c.limit[1] == FAIR then
        c.holder = {args[pos], args[pos + 1]}
        pos = pos + 2
      end
      c.weight = args[pos]
      pos = pos + 1
      c.total_cost = c.cost + (spent[c.k] or 0)
      c.state = load_state(c.k, c.limit, commit)
      if c.limit[1] == FAIR then
        c.total_cost, c.stored = c.cost, c.state
        local earlier = last[c.k]
        if earlier then
          local charge = earlier.next_state
          if charge and charge[1] ~= FAIR then earlier.next_state = state_after[FAIR](charge) end
          c.state = earlier.next_state or earlier.state
        end
      end
      c.kind, c.remaining, c.reset, c.wait, c.next_state, c.certain =
        step[c.state[1]](c.state, c.limit, c.k, c.total_cost, c.holder)
      if c.stored and c.cost == 0 and last[c.k] then c.next_state = c.state end
      c.passes_after = c.kind == PASSED and 0 or c.kind == REFUSED and c.wait or math.huge
      part[i] = c
      charges[#charges + 1] = c
    end
    part.passes = retry_after(part) == 0
    if part.enforced and not part.passes then allowed = false end
    for _, c in ipairs(part) do
      c.charged = part.passes and c.kind == PASSED and not (part.combine == ANY and part.spent)
      if c.charged then
        part.spent = true
        spent[c.k] = (spent[c.k] or 0) + c.cost
        last[c.k] = c
      end
    end
  end
  for _, c in ipairs(charges) do
    if allowed and c.charged then
      if commit and c.next_state and last[c.k] == c then apply_charge(c.k, c.limit, c.next_state) end
    elseif c.kind == PASSED then
      if not allowed then c.state = c.stored or c.state end
      local before = allowed and c.total_cost - c.cost or 0
      c.kind, c.remaining, c.reset, c.wait = step[c.state[1]](c.state, c.limit, c.k, before, c.holder)
    end
    add_outcome(c.kind, c.remaining, c.reset, c.kind == EXCEEDS and c.total_cost or c.wait, c.certain)
    add_limit(c.limit, c.state)
  end
end
end
local DECIDE, RENEW, RELEASE, GIVE_BACK, HOLD, REPORT, RELEASE_AFTER, RESERVATION = 1, 2, 3, 4, 5, 6, 7, 8
local apply_reservation
while pos <= #args do
  local mode, count = args[pos], args[pos + 1]
  pos = pos + 2
  if mode == RENEW or mode == RELEASE then
    n = n + 1
    reply[n] = slot_operations[mode == RENEW and 'renew' or 'release'](count, limits[args[pos]], args[pos + 1])
    pos = pos + 2
  elseif mode == RELEASE_AFTER then
    n = n + 1
    reply[n] = slot_operations.release_after(count, limits[args[pos]], unpack(args, pos + 1, pos + 3))
    pos = pos + 4
  elseif mode == HOLD then
    holds = holds or define_holds()
    holds.request_hold(count, limits[args[pos]], unpack(args, pos + 1, pos + 8))
    pos = pos + 9
  elseif mode == REPORT then
    holds = holds or define_holds()
    holds.report(count, limits[args[pos]], args[pos + 1])
    pos = pos + 2
  elseif mode == RESERVATION then
    apply_reservation = apply_reservation or define_reservations()
    apply_reservation(count)
  elseif count > 0 then
    evaluate_multi(count, mode == DECIDE)
  else
    local k, limit, cost, holder, commit = args[pos], limits[args[pos + 1]], args[pos + 2], nil, mode == DECIDE
    local kind = limit[1]
    pos = pos + 3
    if kind == SLOTS then
      holder = args[pos]
      pos = pos + 1
    elseif kind == FAIR then
      holder = {args[pos], args[pos + 1]}
      pos = pos + 2
    end
    local extra = args[pos]
    pos = pos + 1
    if mode == GIVE_BACK then
      local state_now = load_state(k, limit, true)
      local next_state = give_back[state_now[1]](state_now, limit, k, cost, extra, args[pos], holder)
      pos = pos + 1
      if next_state then states[k], changed[k] = next_state, true end
      n = n + 1
      reply[n] = 1
    else
      for _ = 1, extra do
        local state_now = load_state(k, limit, commit)
        local outcome, remaining, reset, wait, next_state, certain =
          step[state_now[1]](state_now, limit, k, cost, holder)
        if next_state and commit then apply_charge(k, limit, next_state) end
        add_outcome(outcome, remaining, reset, wait, certain)
        add_limit(limit, state_now)
      end
    end
  end
  fast_path()
end
for k in pairs(changed) do
  local state = states[k]
  if state[1] == FAIR then
    store_set[FAIR](state, KEYS[k])
  else
    local fresh = fresh_at[state[1]](state)
    local expiry, text
    if state[1] == BUCKET then
      expiry = expiry_for(fresh, (fresh - now) / 4, expiries[k])
      text = encode_bucket(state[2], state[3], state[4], expiry)
    else
      expiry = expiry_for(fresh, 0)
      text = cmsgpack.pack(unpack(state[1] == HELD and holds.encode(state) or state))
    end
    write(KEYS[k], text, expiry, sizes[k], expiries[k])
  end
end
return cmsgpack.pack(reply)
