-- The fast path for plans of several charges, and for a rolling window. It takes plans of buckets, fixed windows and
-- rolling windows whose parts are all enforced and combined by ALL, with a key for each charge, and only if every charge
-- passes. Then nothing depends on the order of the parts. All states are read before the first is written, so a plan
-- that turns out to be another is left to the general path, with nothing changed.
--
-- It returns the stored state of buckets and fixed windows (see fast-path.lua) and the outcome of rolling windows. A plan
-- of three limits takes 23 µs instead of 39: the general path creates several tables for each charge.

local ALL, PASSED, FIRST_TOTAL, MAX_REMOVED = 0, 0, 1000000000, 1000
-- An expiry is 3 s later than necessary (see ttl in general.lua), so charges within RENEWED µs of each other need one.
local RENEWED, REMOVED_EVERY = 2000000, 8
-- The charges of the plan, one list for each field: the key by index, the limit and the cost; the two fields of the state,
-- the size of its text and its expiry. For a rolling window: its last total and the time of the request; the time of the
-- latest request, or nil, and whether the set has expired members.
local ks, charge_limits, costs, firsts, seconds, sizes, expiries = {}, {}, {}, {}, {}, {}, {}

-- Reads a state and returns whether the cost fits; false also if the general path has to convert the state. fast-path.lua
-- has the same steps in one function: a call of a shared one would cost each decision of a single bucket about 3%.
local function read_bucket(i, key, limit, cost)
  local permits, available, refill_time = limit[2], limit[4], limit[6]
  local kind, empty_at, slack, stored_refill_time, expiry = nil, 0, 0, nil, nil
  local stored = redis.pcall('GET', key)
  if stored then
    if type(stored) ~= 'string' then return false end
    kind, empty_at, slack, stored_refill_time, expiry = cmsgpack.unpack(stored)
    if kind ~= BUCKET or stored_refill_time ~= refill_time or slack >= permits then return false end
  end
  local wait = empty_at - now
  if wait > refill_time then return false end
  if wait > 0 then available = available - wait * permits + slack end
  firsts[i], seconds[i], sizes[i], expiries[i] = empty_at, slack, stored and #stored, expiry
  return cost * limit[3] <= available
end

local function read_fixed(i, key, limit, cost)
  local permits, alignment, length = limit[2], limit[3], limit[4]
  local kind, window_end, count, stored_permits, stored_alignment = nil, 0, 0, nil, nil
  local stored = redis.pcall('GET', key)
  if stored then
    if type(stored) ~= 'string' then return false end
    kind, window_end, count, stored_permits, stored_alignment = cmsgpack.unpack(stored)
    if kind ~= FIXED or stored_permits ~= permits or stored_alignment ~= alignment then return false end
  end
  if now >= window_end then window_end, count = now - now % length + length, 0 end
  -- An empty window was stored with an earlier expiry.
  firsts[i], seconds[i], sizes[i], expiries[i] = window_end, count, count > 0 and stored and #stored, nil
  return cost <= permits - count
end

-- Returns the total and the cost of a member, as parse_member of rolling-window.lua.
local function total_of(member)
  local total = tonumber(member)
  if total then return total, 1 end
  local colon = member:find(':', 1, true)
  return tonumber(member:sub(1, colon - 1)), tonumber(member:sub(colon + 1))
end

local function read_rolling(i, key, limit, cost)
  local permits, window, interval, used = limit[2], limit[3], limit[4], 0
  local head = redis.pcall('ZRANGE', key, 0, 1, 'WITHSCORES')
  if head.err then return false end
  local signature = limit[8] or string.format('R%.0f:%.0f', window, permits)
  limit[8] = signature
  if head[1] and head[1] ~= signature then return false end
  firsts[i], seconds[i], sizes[i], expiries[i] = head[1] and FIRST_TOTAL, now, nil, false
  if head[3] then
    local latest = call('ZREVRANGE', key, 0, 0, 'WITHSCORES')
    local last, total = tonumber(latest[2]), total_of(latest[1])
    local time = last > now and last or now -- the clock stepped back; keep the order
    firsts[i], seconds[i], expiries[i] = total, time, tonumber(head[4]) <= time - window
    if last + window > time then
      local first = head[3]
      if expiries[i] then first = call('ZRANGEBYSCORE', key, time - window + 1, '+inf', 'LIMIT', 0, 1)[1] end
      local first_total, first_cost = total_of(first)
      used, sizes[i] = total - first_total + first_cost, last
      if interval > 0 and time < last + interval then return false end
    end
  end
  if cost > permits - used then return false end
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] =
    PASSED, interval > 0 and 0 or permits - used - cost, seconds[i] + window - now, 0
  return true
end

-- Charges a debt to a bucket and writes its state.
local function charge_bucket(key, limit, empty_at, slack, debt, size, previous_expiry)
  if empty_at <= now then empty_at, slack = now, 0 end
  debt = debt - slack
  slack = -debt % limit[2]
  empty_at = empty_at + (debt + slack) / limit[2]
  local expiry = expiry_for(empty_at, (empty_at - now) / 4, previous_expiry)
  write(key, encode_bucket(empty_at, slack, limit[6], expiry), expiry, size, previous_expiry)
end

local function charge_rolling(i, key, limit, cost)
  local total, time, last, has_expired = firsts[i], seconds[i], sizes[i], expiries[i]
  local next_total = (total or FIRST_TOTAL) + cost
  -- Members of one microsecond sort as texts, so they need the same length: see rolling-window.lua.
  if time == last and #string.format('%.0f', total) < #string.format('%.0f', next_total) then time = time + 1 end
  local member = cost == 1 and next_total or string.format('%.0f:%.0f', next_total, cost)
  if total then
    call('ZADD', key, time, member)
  else
    call('ZADD', key, -1, limit[8], time, member)
  end
  if has_expired and (not last or total % REMOVED_EVERY + cost >= REMOVED_EVERY) then
    local expired = call('ZCOUNT', key, 0, time - limit[3])
    call('ZREMRANGEBYRANK', key, 1, expired < MAX_REMOVED and expired or MAX_REMOVED)
  end
  if sets_expiry and (not last or last - last % RENEWED ~= time - time % RENEWED) then
    call('PEXPIRE', key, math.max(1, math.ceil((time + limit[3] - now) / 1000)) + 3000)
  end
end

-- Collects the charges of the plan at `pos`. Returns their number and the position after them, or nothing if the plan
-- needs the general path.
local function collect()
  local parts, p, size = args[pos + 1], pos + 2, 0
  for _ = 1, parts > 0 and parts or 1 do
    local charges = 1
    if parts > 0 then
      charges = args[p]
      if args[p + 1] ~= ALL or args[p + 3] ~= 1 then return end
      p = p + 4
    end
    for _ = 1, charges do
      local k, limit, cost = args[p], limits[args[p + 1]], args[p + 2]
      local kind = limit[1]
      if kind > FIXED and kind ~= ROLLING or kind == FIXED and limit[4] == 0 then return end
      if cost == 0 or states[k] ~= nil then return end
      for j = 1, size do
        if ks[j] == k then return end
      end
      size = size + 1
      ks[size], charge_limits[size], costs[size] = k, limit, cost
      p = p + 4
    end
  end
  if parts == 0 and args[p - 1] > 1 then return end -- repetitions
  return size, p
end

-- Passes the states of buckets and fixed windows that were read to the general path.
local function pass_on(size)
  for i = 1, size do
    local limit = charge_limits[i]
    if limit[1] == BUCKET then
      states[ks[i]] = sizes[i] and {BUCKET, firsts[i], seconds[i], limit[6]} or false
    elseif limit[1] == FIXED then
      states[ks[i]] = sizes[i] and {FIXED, firsts[i], seconds[i], limit[2], limit[3]} or false
    end
  end
end

fast_plan = function()
  local size, after = collect()
  if not size then return false end
  local start = n
  for i = 1, size do
    local key, limit, cost = KEYS[ks[i]], charge_limits[i], costs[i]
    local kind = limit[1]
    local read = kind == BUCKET and read_bucket or kind == FIXED and read_fixed or read_rolling
    if not read(i, key, limit, cost) then
      pass_on(i - 1)
      n = start
      return false
    end
    if kind == ROLLING then
      n = n + 4
    else
      reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + 1, firsts[i], seconds[i]
      n = n + 3
    end
  end
  local is_charged = args[pos] == 1
  pos = after
  if not is_charged then return true end
  for i = 1, size do
    local key, limit, cost = KEYS[ks[i]], charge_limits[i], costs[i]
    local kind = limit[1]
    if kind == BUCKET then
      charge_bucket(key, limit, firsts[i], seconds[i], cost * limit[3], sizes[i], expiries[i])
    elseif kind == FIXED then
      local expiry = expiry_for(firsts[i], 0)
      write(key, encode_fixed(firsts[i], seconds[i] + cost, limit), expiry, sizes[i], expiry)
    else
      charge_rolling(i, key, limit, cost)
    end
  end
  return true
end
