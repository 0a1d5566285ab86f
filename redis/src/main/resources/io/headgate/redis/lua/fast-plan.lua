-- The fast path for plans of several charges, and for a sliding or rolling window. It takes plans of buckets, windows of a
-- fixed length, sliding windows and rolling windows whose parts are all enforced and combined by ALL, with a key for each charge,
-- and only if every charge passes. Then nothing depends on the order of the parts. All states are read before the first
-- is written, so a plan that turns out to be another is left to the general path, with nothing changed.
--
-- It returns the stored state of buckets and fixed windows (see fast-path.lua) and the outcome of the others. It takes
-- less than half of the time of the general path, which creates several tables for each charge.

if has_rolling then
  -- Adds a request to a packed window (see packed-window.lua): to the requests of a text from an index on, or to none if
  -- there is no text.
  append_request = function(key, limit, text, index, last, count, used, total, time, cost)
    local permits, window, renewed, entries, kept, keeps_expiry = limit[2], limit[3], 2000000, '', 0, false
    if window > 16000000 then renewed = (window - window % 8) / 8 end -- see renewal in packed-window.lua
    total, used = (total + cost) % TOTALS, used + cost
    if text then
      local room = (#text - HEAD) / SIZE
      kept = count - index + 1
      keeps_expiry = last - last % renewed == time - time % renewed
      if keeps_expiry and count > FEW and count < room and (index - 1) * 2 < count then
        -- Replicas and the append-only file receive no more than the change.
        call('SETRANGE', key, '2', pack(
          '>I8I5I6I2I6I5', time + window, USED_TYPE + used, PERMITS_TYPE + permits * 256, FIELDS + room * SIZE, window,
          total * 65536 + count + 1))
        call('SETRANGE', key, format('%d', HEAD + count * SIZE), pack(ENTRY, time % TIMES, total))
        return
      end
      entries = text:sub(HEAD + 1 + (index - 1) * SIZE, HEAD + count * SIZE)
      if keeps_expiry and kept < room then
        -- In place, which takes less than SET. The bytes after the last request are room.
        call('SETRANGE', key, '2', pack(
          '>I8I5I6I2I6I5c0I6I3', time + window, USED_TYPE + used, PERMITS_TYPE + permits * 256, FIELDS + room * SIZE, window,
          total * 65536 + kept + 1, entries, time % TIMES, total))
        return
      end
    end
    -- From 17 requests on there is room for an eighth more. Below, an odd number has room for one: bytes that the allocator
    -- leaves unused, except at 13.
    local size = kept + 1
    local spare = size > FEW and (size - size % 8) / 8 + 1 or size > 2 and size % 2 or 0
    local text_now = pack(
      '>I2I8I5I6I2I6I5c0I6I3', KIND, time + window, USED_TYPE + used, PERMITS_TYPE + permits * 256,
      FIELDS + (size + spare) * SIZE, window, total * 65536 + size, entries, time % TIMES, total)
    if spare > 0 then text_now = text_now .. ('\0'):rep(spare * SIZE) end
    if keeps_expiry and sets_expiry then
      call('SET', key, text_now, 'KEEPTTL')
    else
      set(key, text_now, math.ceil((time - time % renewed + renewed + window) / 1000000) + 1)
    end
  end
end

-- Whether the plan is charged, or only evaluated; the last length of a sliding window, and the offset of its last byte.
local is_charged, sliding_size, sliding_offset

-- Evaluates the charges of a plan from `p` on: reads the state of the first, evaluates the others, and writes the state if all
-- pass. So the states are in locals, since lists would take longer than the arithmetic. Returns true if all have passed and
-- are charged, false if they are only evaluated, nil if the general path has to evaluate the plan. The states of buckets,
-- fixed and sliding windows are passed to it.
--
-- `charges` of the part and `parts` after it are left; `highest_k` is the highest index of a key before.
local function charge(p, charges, parts, highest_k)
  local args, now = args, now -- a local is faster than an upvalue
  while charges == 0 do
    if parts == 0 then
      pos = p
      return is_charged
    end
    if args[p + 1] ~= ALL or args[p + 3] ~= 1 or args[p] > MAX_CHARGES then return nil end
    charges, parts, p = args[p], parts - 1, p + 4
  end
  local k, limit, cost = args[p], limits[args[p + 1]], args[p + 2]
  if cost == 0 or states[k] ~= nil then return nil end
  if k > highest_k then -- not the key of an earlier charge. Most plans have their keys in order
    highest_k = k
  else
    local q = pos + 2
    while q < p do
      local last = q + 4 * args[q]
      for i = q + 4, last < p and last or p - 4, 4 do
        if args[i] == k then return nil end
      end
      q = last + 4
    end
  end
  local key, kind, permits = KEYS[k], limit[1], limit[2]

  if kind == BUCKET then
    local available, refill_time, debt = limit[4], limit[6], cost * limit[3]
    local stored_kind, empty_at, slack, stored_refill_time, expiry = nil, 0, 0, nil, nil
    local stored = pcall('GET', key)
    if stored then
      if #stored == 0 then return nil end -- an error: not a string
      stored_kind, empty_at, slack, stored_refill_time, expiry = decode(stored)
      if stored_kind ~= BUCKET or stored_refill_time ~= refill_time or slack >= permits then return nil end
    end
    local wait, passes = empty_at - now, nil
    if wait > 0 then available = available - wait * permits + slack end
    if wait <= refill_time and debt <= available then
      reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + 1, empty_at, slack
      n = n + 3
      passes = charge(p + 4, charges - 1, parts, highest_k)
    end
    if passes then
      local stored_slack = slack
      if wait <= 0 then empty_at, slack = now, 0 end
      debt = debt - slack
      slack = -debt % permits
      store_bucket(key, empty_at + (debt + slack) / permits, slack, refill_time, stored, stored_slack, expiry)
    elseif passes == nil then
      states[k] = stored and {BUCKET, empty_at, slack, refill_time} or false
    end
    return passes

  elseif kind == FIXED then
    local length = limit[4]
    if length == 0 then return nil end -- the general path handles calendar windows
    local stored_kind, window_end, count, stored_permits, stored_alignment = nil, 0, 0, nil, nil
    local stored, passes, is_current = pcall('GET', key), nil, false
    if stored then
      if #stored == 0 then return nil end
      stored_kind, window_end, count, stored_permits, stored_alignment = decode(stored)
      if stored_kind ~= FIXED or stored_permits ~= permits or stored_alignment ~= limit[3] then return nil end
      is_current = now < window_end
    end
    if not is_current then window_end, count = now - now % length + length, 0 end
    if cost <= permits - count then
      reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + 1, window_end, count
      n = n + 3
      passes = charge(p + 4, charges - 1, parts, highest_k)
    end
    if passes then
      -- An empty window was stored with an earlier expiry.
      store_fixed(key, window_end, count + cost, limit, count > 0 and stored)
    elseif passes == nil and (is_current or not stored) then
      states[k] = stored and {FIXED, window_end, count, permits, limit[3]}
    end
    return passes

  elseif kind == SLIDING then
    local buckets, width = limit[3], limit[4]
    local subwindow, passed, state = (now - now % width) / width, 0, nil
    local stored = pcall('GET', key)
    if stored then
      -- The general path reads counts of several bytes, and an error: not a string.
      if #stored ~= 21 + buckets then return nil end
      state = {decode(stored)}
      passed = state[1] == SLIDING and state[3] == width and state[4] == permits and #state == buckets + 5
        and subwindow - state[2] or -1
      if passed < 0 then return nil end -- of another limit, or the clock stepped back
    end
    local total, highest, left, overlap = 0, cost, permits, width - now % width
    if state then
      for i = 5 + passed, buckets + 5 do
        local count = state[i]
        total = total + count
        if count > highest then highest = count end
      end
      local oldest = state[5 + passed] or 0
      left = permits - total
      if oldest > 0 and limit[5] == 0 then -- interpolated; rounded up
        local share = oldest * overlap
        local rest = share % width
        left = left + oldest - (share - rest) / width - (rest > 0 and 1 or 0)
      end
    end
    if cost > left then
      states[k] = state or false
      return nil
    end
    local newest = state and state[buckets + 5] or 0
    -- The general path encodes what has counts of several bytes, or a limit of several words.
    if highest >= 128 or passed == 0 and newest + cost >= 128 or width >= WORD or permits >= WORD then return nil end
    local fresh = (subwindow + buckets + 1) * width
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = PASSED, left - cost, fresh - now, 0
    n = n + 4
    local passes = charge(p + 4, charges - 1, parts, highest_k)
    if passes == nil then states[k] = state or false end
    if not passes then return passes end
    if passed == 0 and newest > 0 then -- the last count is the last byte, and the expiry is that of the state
      local size = #stored
      if size ~= sliding_size then sliding_size, sliding_offset = size, format('%d', size - 1) end
      call('SETRANGE', key, sliding_offset, char(newest + cost))
      return true
    end
    -- Counts below 128 have a byte each, so they are the last bytes of the text.
    local kept, zeros = '', buckets
    if state and passed <= buckets then
      kept, zeros = stored:sub(-1 - buckets + passed, passed == 0 and -2 or -1), passed > 0 and passed - 1 or 0
    end
    if zeros > 0 then kept = kept .. ('\0'):rep(zeros) end
    local text = pack(
      '>I2I8I5I5c0B', 0x03cf, subwindow, 0xce00000000 + width, 0xce00000000 + permits, kept, cost)
    local expiry = expiry_for(fresh, 0)
    if newest > 0 and passed <= buckets and #stored == #text and expiry == expiry_for(fresh - passed * width, 0) then
      call('SETRANGE', key, '0', text)
    else
      set(key, text, expiry)
    end
    return true

  elseif kind ~= ROLLING then
    return nil
  end

  local window, interval, time, used, last, first, total, count = limit[3], limit[4], now, 0, nil, 1, 0, 0
  local stored = window <= WIDEST and pcall('GET', key)
  if window <= WIDEST and (not stored or #stored > 0) then
    if stored then
      if #stored < SHORTEST then return nil end
      local tag, ends_at, tagged_used, tagged_permits, stored_window, totals, oldest =
        unpack_struct('>I2I8I5I6xxI6I5I6', stored)
      if tag ~= KIND or tagged_permits ~= PERMITS_TYPE + permits * 256 or stored_window ~= window then return nil end
      count = totals % 65536
      if count >= MOST then return nil end
      last, total = ends_at - window, (totals - count) / 65536
      if last > time then time = last end -- the clock stepped back; keep the order
      if ends_at <= time then
        stored = false -- all have expired
      else
        if interval > 0 and time < last + interval then return nil end
        if ends_at - (last - oldest) % TIMES > time then
          used = tagged_used - USED_TYPE
        else
          -- Finds the first request that has not expired, often the second, and the total before it.
          local low, high = 2, count
          local total_before, at = unpack_struct('>I3I6', stored, HEAD + 7)
          if ends_at - (last - at) % TIMES <= time then
            low = 3
            while low < high do
              local middle = low + high
              middle = (middle - middle % 2) / 2
              at = unpack_struct('>I6', stored, HEAD + 1 + (middle - 1) * SIZE)
              if ends_at - (last - at) % TIMES <= time then low = middle + 1 else high = middle end
            end
            total_before = unpack_struct('>I3', stored, HEAD + 7 + (low - 2) * SIZE)
          end
          first, used = low, (total - total_before) % TOTALS
        end
      end
    end
    if cost > permits - used then return nil end
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] =
      PASSED, interval > 0 and 0 or permits - used - cost, time + window - now, 0
    n = n + 4
    local passes = charge(p + 4, charges - 1, parts, highest_k)
    if passes then append_request(key, limit, stored, first, last, count, used, total, time, cost) end
    return passes
  end

  -- A sorted set: of many requests, or written by an earlier version. See rolling-window.lua.
  local head = pcall('ZRANGE', key, 0, 1, 'WITHSCORES')
  if head.err then return nil end
  local signature = limit[8] or format('R%.0f:%.0f', window, permits)
  limit[8] = signature
  if head[1] ~= signature or not head[3] then return nil end
  local function total_of(member)
    local number = tonumber(member)
    if number then return number, 1 end
    local colon = member:find(':', 1, true)
    return tonumber(member:sub(1, colon - 1)), tonumber(member:sub(colon + 1))
  end
  local latest = call('ZREVRANGE', key, 0, 0, 'WITHSCORES')
  last, total = tonumber(latest[2]), total_of(latest[1])
  if last > time then time = last end
  if last + window <= time then return nil end -- the general path packs it again
  local has_expired, oldest = tonumber(head[4]) <= time - window, head[3]
  if has_expired then oldest = call('ZRANGEBYSCORE', key, time - window + 1, '+inf', 'LIMIT', 0, 1)[1] end
  local first_total, first_cost = total_of(oldest)
  used = total - first_total + first_cost
  if interval > 0 and time < last + interval or cost > permits - used then return nil end
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] =
    PASSED, interval > 0 and 0 or permits - used - cost, time + window - now, 0
  n = n + 4
  local passes = charge(p + 4, charges - 1, parts, highest_k)
  if not passes then return passes end
  local next_total = total + cost
  -- Members of one microsecond sort as texts, so they need the same length: see rolling-window.lua.
  if time == last and #format('%.0f', total) < #format('%.0f', next_total) then time = time + 1 end
  call('ZADD', key, format('%d', time), cost == 1 and format('%.0f', next_total) or format('%.0f:%.0f', next_total, cost))
  if has_expired and total % REMOVED_EVERY + cost >= REMOVED_EVERY then
    local expired = call('ZCOUNT', key, 0, time - window)
    call('ZREMRANGEBYRANK', key, 1, expired < MAX_REMOVED and expired or MAX_REMOVED)
  end
  -- An expiry is 3 s later than necessary (see ttl in general.lua), so charges within RENEWED µs of each other need one.
  if sets_expiry and last - last % RENEWED ~= time - time % RENEWED then
    call('PEXPIRE', key, math.max(1, math.ceil((time + window - now) / 1000)) + 3000)
  end
  return true
end

fast_plan = function()
  local parts, start = args[pos + 1], n
  local passes
  is_charged = args[pos] == 1
  if parts > 0 then
    if parts <= MAX_PARTS then passes = charge(pos + 2, 0, parts, 0) end -- bounds the depth of the recursion
  elseif args[pos + 5] == 1 then -- the general path handles repetitions
    passes = charge(pos + 2, 1, 0, 0)
  end
  if passes ~= nil then return true end
  n = start
  return false
end
