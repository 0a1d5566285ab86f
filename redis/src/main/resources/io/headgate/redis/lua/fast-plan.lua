-- The fast path for plans of several charges, and for a rolling window. It takes plans of buckets, fixed windows and
-- rolling windows whose parts are all enforced and combined by ALL, with a key for each charge, and only if every charge
-- passes. Then nothing depends on the order of the parts. All states are read before the first is written, so a plan
-- that turns out to be another is left to the general path, with nothing changed.
--
-- It returns the stored state of buckets and fixed windows (see fast-path.lua) and the outcome of rolling windows. It takes
-- less than half of the time of the general path, which creates several tables for each charge.

local ALL, PASSED, MAX_REMOVED, SET = 0, 0, 1000, true
-- An expiry is 3 s later than necessary (see ttl in general.lua), so charges within RENEWED µs of each other need one.
local RENEWED, REMOVED_EVERY = 2000000, 8
-- The charges of the plan, one list for each field: the key by index, the limit and the cost; the two fields of the state,
-- its text and its expiry. For a rolling window: its last total and the time of the request; the time of the
-- latest request; the permits in use, its text and the index of the first request in the window; or SET as its text, and whether
-- the set has expired members.
local ks, charge_limits, costs, firsts, seconds, previous, expiries = {}, {}, {}, {}, {}, {}, {}
local texts, starts, counts = {}, {}, {}
local PACKED, SHORTEST, MOST, WIDEST, KIND, USED, CONSTANT, TIMES -- of packed windows
if packed then
  PACKED, SHORTEST, MOST, WIDEST = packed.header .. 'I6', packed.shortest, packed.most, packed.widest
  KIND, USED, CONSTANT, TIMES = packed.kind, packed.used, packed.constant, packed.times
end

-- Reads a state and returns whether the cost fits; false also if the general path has to convert the state. fast-path.lua
-- has the same steps in one function: a call of a shared one would cost each decision of a single bucket about 3%.
local function read_bucket(i, key, limit, cost)
  local permits, available, refill_time = limit[2], limit[4], limit[6]
  local kind, empty_at, slack, stored_refill_time, expiry = nil, 0, 0, nil, nil
  local stored = pcall('GET', key)
  if stored then
    if type(stored) ~= 'string' then return false end
    kind, empty_at, slack, stored_refill_time, expiry = decode(stored)
    if kind ~= BUCKET or stored_refill_time ~= refill_time or slack >= permits then return false end
  end
  local wait = empty_at - now
  if wait > refill_time then return false end
  if wait > 0 then available = available - wait * permits + slack end
  firsts[i], seconds[i], previous[i], expiries[i] = empty_at, slack, stored, expiry
  if cost * limit[3] > available then return false end
  reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + 1, empty_at, slack
  n = n + 3
  return true
end

local function read_fixed(i, key, limit, cost)
  local permits, length = limit[2], limit[4]
  if length == 0 then return false end -- the general path handles calendar windows
  local kind, window_end, count, stored_permits, stored_alignment, text = nil, 0, 0, nil, nil, false
  local stored = pcall('GET', key)
  if stored then
    if type(stored) ~= 'string' then return false end
    kind, window_end, count, stored_permits, stored_alignment = decode(stored)
    if kind ~= FIXED or stored_permits ~= permits or stored_alignment ~= limit[3] then return false end
    text = count > 0 and stored -- an empty window was stored with an earlier expiry
  end
  if now >= window_end then window_end, count, text = now - now % length + length, 0, false end
  firsts[i], seconds[i], previous[i] = window_end, count, text
  if cost > permits - count then return false end
  reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + 1, window_end, count
  n = n + 3
  return true
end

-- Returns the total and the cost of a member, as parse_member of rolling-window.lua.
local function total_of(member)
  local total = tonumber(member)
  if total then return total, 1 end
  local colon = member:find(':', 1, true)
  return tonumber(member:sub(1, colon - 1)), tonumber(member:sub(colon + 1))
end

-- Reads a window that is a sorted set: of many requests, or written by an earlier version.
local function read_set(i, key, limit, cost)
  local permits, window, interval, used = limit[2], limit[3], limit[4], 0
  local head = pcall('ZRANGE', key, 0, 1, 'WITHSCORES')
  if head.err then return false end
  local signature = limit[8] or string.format('R%.0f:%.0f', window, permits)
  limit[8] = signature
  if head[1] ~= signature or not head[3] then return false end
  local latest = call('ZREVRANGE', key, 0, 0, 'WITHSCORES')
  local last, total = tonumber(latest[2]), total_of(latest[1])
  local time = last > now and last or now -- the clock stepped back; keep the order
  local has_expired = tonumber(head[4]) <= time - window
  if last + window <= time then return false end -- the general path packs it again
  local first = head[3]
  if has_expired then first = call('ZRANGEBYSCORE', key, time - window + 1, '+inf', 'LIMIT', 0, 1)[1] end
  local first_total, first_cost = total_of(first)
  used = total - first_total + first_cost
  if interval > 0 and time < last + interval or cost > permits - used then return false end
  firsts[i], seconds[i], previous[i], expiries[i], texts[i] = total, time, last, has_expired, SET
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] =
    PASSED, interval > 0 and 0 or permits - used - cost, time + window - now, 0
  n = n + 4
  return true
end

local function read_rolling(i, key, limit, cost)
  local permits, window, interval, time, used, last, first = limit[2], limit[3], limit[4], now, 0, nil, 1
  local total, count = 0, 0
  if window > WIDEST then return read_set(i, key, limit, cost) end
  local stored = pcall('GET', key)
  if stored then
    if type(stored) ~= 'string' then return read_set(i, key, limit, cost) end
    if #stored < SHORTEST then return false end
    local kind, ends_at, tagged_used, tagged_permits, _, stored_window, stored_total, stored_count, oldest =
      unpack_struct(PACKED, stored)
    if kind ~= KIND or tagged_permits ~= CONSTANT + permits * 256 or stored_window ~= window then return false end
    if stored_count >= MOST then return false end
    last, total, count = ends_at - window, stored_total, stored_count
    if last > time then time = last end -- the clock stepped back; keep the order
    if ends_at <= time then
      stored = false -- all have expired
    else
      if interval > 0 and time < last + interval then return false end
      used = tagged_used - USED
      if ends_at - (last - oldest) % TIMES <= time then
        first = packed.first_after(stored, last, count, time - window)
        local _, before = packed.entry(stored, last, first - 1)
        used = (total - before) % packed.totals
      end
    end
  end
  if cost > permits - used then return false end
  firsts[i], seconds[i], previous[i], expiries[i], texts[i] = total, time, last, used, stored
  starts[i], counts[i] = first, count
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] =
    PASSED, interval > 0 and 0 or permits - used - cost, time + window - now, 0
  n = n + 4
  return true
end

local function charge_bucket(i, key, limit, cost)
  local permits, empty_at, slack = limit[2], firsts[i], seconds[i]
  local stored_slack = slack
  if empty_at <= now then empty_at, slack = now, 0 end
  local debt = cost * limit[3] - slack
  slack = -debt % permits
  store_bucket(key, empty_at + (debt + slack) / permits, slack, limit[6], previous[i], stored_slack, expiries[i])
end

-- Adds a request to a window that is a sorted set.
local function charge_set(i, key, limit, cost)
  local total, time, last, has_expired = firsts[i], seconds[i], previous[i], expiries[i]
  local next_total = total + cost
  -- Members of one microsecond sort as texts, so they need the same length: see rolling-window.lua.
  if time == last and #string.format('%.0f', total) < #string.format('%.0f', next_total) then time = time + 1 end
  call('ZADD', key, time, cost == 1 and next_total or string.format('%.0f:%.0f', next_total, cost))
  if has_expired and total % REMOVED_EVERY + cost >= REMOVED_EVERY then
    local expired = call('ZCOUNT', key, 0, time - limit[3])
    call('ZREMRANGEBYRANK', key, 1, expired < MAX_REMOVED and expired or MAX_REMOVED)
  end
  if sets_expiry and last - last % RENEWED ~= time - time % RENEWED then
    call('PEXPIRE', key, math.max(1, math.ceil((time + limit[3] - now) / 1000)) + 3000)
  end
end

-- Passes the states that were read to the general path, which evaluates the plan. Returns false.
local function leave(size, start)
  for i = 1, size do
    local limit = charge_limits[i]
    if limit[1] == BUCKET then
      states[ks[i]] = previous[i] and {BUCKET, firsts[i], seconds[i], limit[6]} or false
    elseif limit[1] == FIXED then
      states[ks[i]] = previous[i] and {FIXED, firsts[i], seconds[i], limit[2], limit[3]} or false
    end
  end
  n = start
  return false
end

local read = {[BUCKET] = read_bucket, [FIXED] = read_fixed, [ROLLING] = read_rolling}

fast_plan = function()
  local args, limits, states, KEYS = args, limits, states, KEYS -- a local is faster than an upvalue
  local parts, p, size, start = args[pos + 1], pos + 2, 0, n
  if parts == 0 and args[pos + 5] > 1 then return false end -- repetitions
  for _ = 1, parts > 0 and parts or 1 do
    local charges = 1
    if parts > 0 then
      charges = args[p]
      if args[p + 1] ~= ALL or args[p + 3] ~= 1 then return leave(size, start) end
      p = p + 4
    end
    for _ = 1, charges do
      local k, limit, cost = args[p], limits[args[p + 1]], args[p + 2]
      local read_state_of = read[limit[1]]
      if not read_state_of or cost == 0 or states[k] ~= nil then return leave(size, start) end
      for j = 1, size do
        if ks[j] == k then return leave(size, start) end
      end
      if not read_state_of(size + 1, KEYS[k], limit, cost) then return leave(size, start) end
      size = size + 1
      ks[size], charge_limits[size], costs[size] = k, limit, cost
      p = p + 4
    end
  end
  local is_charged = args[pos] == 1
  pos = p
  if not is_charged then return true end
  for i = 1, size do
    local key, limit = KEYS[ks[i]], charge_limits[i]
    local kind = limit[1]
    if kind == BUCKET then
      charge_bucket(i, key, limit, costs[i])
    elseif kind == FIXED then
      store_fixed(key, firsts[i], seconds[i] + costs[i], limit, previous[i])
    elseif texts[i] == SET then
      charge_set(i, key, limit, costs[i])
    else
      packed.append(
        key, limit, texts[i], starts[i], previous[i], counts[i], expiries[i], firsts[i], seconds[i], costs[i])
    end
  end
  return true
end
