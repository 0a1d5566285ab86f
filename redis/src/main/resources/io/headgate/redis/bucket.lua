-- Token bucket and leaky bucket. Mirrors Bucket.java; TokenBucket.java explains the arithmetic.
--
--   limit   permits and period in lowest terms, units (the largest debt), capacity, drain (µs), queues 0|1
--   state   empty_at (µs), slack, drain

adopt[BUCKET] = function(state, limit, k)
  local drain = limit[6]
  if not state then return {BUCKET, 0, 0, drain}, false end
  if state[1] == BUCKET and state[4] == drain and state[3] < limit[2] then return state, false end
  return {BUCKET, now + carried_over(state, KEYS[k], drain), 0, drain}, true
end

local function bucket(limit, cost, empty_at, slack)
  local permits, period, units = limit[2], limit[3], limit[4]
  local wait = max(0, empty_at - now)
  local owed = 0
  if wait > limit[6] then
    owed = units -- a clock that stepped back can't make it more than everything
  elseif wait > 0 then
    owed = wait * permits - slack
  end
  if cost == 0 then return PASSED, floor(max(0, units - owed) / period), wait, 0 end
  if cost > limit[5] then return NEVER, floor(max(0, units - owed) / period), wait, 0 end
  local price = cost * period
  if owed > units - price then
    local fits_at = empty_at - floor((units - price + slack) / permits)
    return REFUSED, floor(max(0, units - owed) / period), wait, fits_at - now
  end
  local due = wait == 0 and price or price - slack
  local repaid_in = ceil(due / permits)
  local left = floor(max(0, units - owed - price) / period)
  local delay = limit[7] == 1 and wait or 0
  return PASSED, left, wait + repaid_in, delay, now + wait + repaid_in, repaid_in * permits - due
end

step[BUCKET] = function(state, limit, k, cost)
  local kind, remaining, reset, wait, empty_at, slack = bucket(limit, cost, state[2], state[3])
  return kind, remaining, reset, wait, empty_at and {BUCKET, empty_at, slack, state[4]}
end

-- Without tables: this is what most batches are made of.
single[BUCKET] = function(k, limit, cost, keep, times)
  local key, drain, empty_at, slack, taken = KEYS[k], limit[6], 0, 0, false
  local text = redis.pcall('GET', key)
  if text then
    if type(text) ~= 'string' then return false end
    local kind, its_drain
    kind, empty_at, slack, its_drain = cmsgpack.unpack(text)
    if kind ~= BUCKET or its_drain ~= drain or slack >= limit[2] then return false end
  end
  for _ = 1, times do
    local kind, remaining, reset, wait, next_at, next_slack = bucket(limit, cost, empty_at, slack)
    say(kind, remaining, reset, wait)
    if next_at then empty_at, slack, taken = next_at, next_slack, true end
  end
  if taken and keep then
    text = cmsgpack.pack(BUCKET, empty_at, slack, drain)
    if expires then
      call('SET', key, text, 'PX', ttl(empty_at))
    else
      call('SET', key, text)
    end
  end
  return true
end

give_back[BUCKET] = function(state, limit, k, cost)
  local permits, wait = limit[2], state[2] - now
  if wait <= 0 or wait > state[4] then return state end
  local rest = max(0, wait * permits - state[3] - cost * limit[3])
  local repaid_in = ceil(rest / permits)
  return {BUCKET, now + repaid_in, repaid_in * permits - rest, state[4]}
end

fresh_at[BUCKET] = function(state)
  return state[2]
end
