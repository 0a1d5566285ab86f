-- Token bucket and leaky bucket. Mirrors Bucket.java; TokenBucket.java explains the arithmetic.
--
--   limit   permits and period in lowest terms, units (the largest debt), capacity, drain (µs), queues 0|1
--   state   empty_at (µs), slack, drain; in the text also when it will be forgotten (s)

adopt[BUCKET] = function(state, limit, k)
  local drain = limit[6]
  if not state then return {BUCKET, 0, 0, drain}, false end
  if state[1] == BUCKET and state[4] == drain and state[3] < limit[2] then return state, false end
  return {BUCKET, now + carried_over(state, KEYS[k], drain), 0, drain}, true
end

step[BUCKET] = function(state, limit, k, cost)
  local permits, period, units, slack = limit[2], limit[3], limit[4], state[3]
  local wait = max(0, state[2] - now)
  local owed = 0
  if wait > limit[6] then
    owed = units -- neither a clock that stepped back nor what was spent elsewhere makes it more than everything
  elseif wait > 0 then
    owed = wait * permits - slack
  end
  local left = floor(max(0, units - owed) / period)
  if cost == 0 then return PASSED, left, wait, 0 end
  if cost > limit[5] then return NEVER, left, wait, 0 end
  local price = cost * period
  if owed > units - price then
    local fits_at = state[2] - floor((units - price + slack) / permits)
    return REFUSED, left, wait, fits_at - now
  end
  local due = wait == 0 and price or price - slack
  local repaid_in = ceil(due / permits)
  local delay = limit[7] == 1 and wait or 0
  local next = {BUCKET, now + wait + repaid_in, repaid_in * permits - due, state[4]}
  return PASSED, left - cost, wait + repaid_in, delay, next
end

-- At most as much as would be left of the debt had there been no charge since: time has repaid the rest, and a bucket
-- that is full refills no further.
give_back[BUCKET] = function(state, limit, k, cost, made_at, was_fresh_at)
  local permits, wait, unpaid = limit[2], state[2] - now, was_fresh_at - now
  if wait <= 0 or wait > state[4] or unpaid <= 0 then return nil end
  local back = cost * limit[3]
  if unpaid < back / permits then back = unpaid * permits end
  local rest = max(0, wait * permits - state[3] - back)
  local repaid_in = ceil(rest / permits)
  return {BUCKET, now + repaid_in, repaid_in * permits - rest, state[4]}
end

fresh_at[BUCKET] = function(state)
  return state[2]
end
