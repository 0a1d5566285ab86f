-- The fast path for plans of several charges. It takes plans of buckets, windows of a fixed length, sliding windows and
-- rolling windows whose parts are all enforced and combined by ALL, with a key for each charge,
-- and only if every charge passes. Then nothing depends on the order of the parts. All states are read before the first
-- is written, so a plan that turns out to be another is left to the general path, with nothing changed.
--
-- It returns the stored state of buckets and fixed windows (see fast-path.lua) and the outcome of the others. It takes
-- less than half of the time of the general path, which creates several tables for each charge.

-- Evaluates the charges of a plan from `p` on: reads the state of the first, evaluates the others, and writes the state if all
-- pass. So the states are in locals, since lists would take longer than the arithmetic. Returns true if all have passed and
-- are charged, false if they are only evaluated, nil if the general path has to evaluate the plan. The states of buckets,
-- fixed and sliding windows are passed to it.
--
-- `charges` of the part and `parts` after it are left; `highest_k` is the highest index of a key before.
charge = function(p, charges, parts, highest_k)
  local args, now = args, now -- a local is faster than an upvalue
  while charges == 0 do
    if parts == 0 then
      pos = p
      return is_charged
    end
    if args[p + 1] ~= ALL or args[p + 3] ~= 1 or args[p] > MAX_CHARGES then return nil end
    charges, parts, p = args[p], parts - 1, p + 4
  end
  local k, l, cost = args[p], 7 * args[p + 1] - 3, args[p + 2] -- a limit is an offset; see fast-path.lua
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
  local key, kind, permits = KEYS[k], args[l], args[l + 1]

  if kind == BUCKET then
    local available, refill_time, debt = args[l + 3], args[l + 5], cost * args[l + 2]
    local stored_kind, empty_at, slack, stored_refill_time, previous_expiry = nil, 0, 0, nil, nil
    local stored, mark = get_text(key), nil
    if stored then
      if #stored == 0 then return nil end -- an error: not a string
      stored_kind, empty_at, slack, stored_refill_time, previous_expiry = decode(stored)
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
      local previous_slack = slack
      if wait <= 0 then empty_at, slack = now, 0 end
      debt = debt - slack
      slack = -debt % permits
      empty_at = empty_at + (debt + slack) / permits
      --include store-bucket
    elseif passes == nil then
      states[k] = stored and {BUCKET, empty_at, slack, refill_time} or false
    end
    return passes

  elseif kind == FIXED then
    local length = args[l + 3]
    if length == 0 then return nil end -- the general path handles calendar windows
    local stored_kind, window_end, count, stored_permits, stored_alignment = nil, 0, 0, nil, nil
    local stored, passes, is_current, mark = get_text(key), nil, false, nil
    if stored then
      if #stored == 0 then return nil end
      stored_kind, window_end, count, stored_permits, stored_alignment = decode(stored)
      if stored_kind ~= FIXED or stored_permits ~= permits or stored_alignment ~= args[l + 2] then return nil end
      is_current = now < window_end
    end
    if not is_current then window_end, count = now - now % length + length, 0 end
    if cost <= permits - count then
      reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + 1, window_end, count
      n = n + 3
      passes = charge(p + 4, charges - 1, parts, highest_k)
    end
    if passes then
      if count == 0 then stored = nil end -- an empty window was stored with an earlier expiry
      count = count + cost
      --include store-fixed
    elseif passes == nil and (is_current or not stored) then
      states[k] = stored and {FIXED, window_end, count, permits, args[l + 2]}
    end
    return passes

  elseif kind ~= SLIDING and kind ~= ROLLING then
    return nil
  end

  local passes, remaining, reset
  repeat -- what is included has breaks
    if kind == SLIDING then
      --include sliding-evaluate
      reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = PASSED, remaining, reset, 0
      n = n + 4
      passes = charge(p + 4, charges - 1, parts, highest_k)
      if passes == nil then states[k] = state or false end
      if not passes then break end
      --include sliding-store
    else
      --include rolling-evaluate
      reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = PASSED, remaining, reset, 0
      n = n + 4
      passes = charge(p + 4, charges - 1, parts, highest_k)
      if not passes then break end
      --include rolling-store
    end
  until true
  return passes
end
