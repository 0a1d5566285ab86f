-- Token bucket and leaky bucket (GCRA in exact rational arithmetic). Mirrors Bucket.java; see TokenBucket.java.
--
--   limit   permits and period in lowest terms, units (the maximum debt), capacity, refill_time (µs), queues 0|1
--   state   empty_at (µs), slack, refill_time; in the stored text also the expiry (s)

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
    debt = units -- a clock that stepped back or unchecked charges may exceed the maximum
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

-- Returns at most the debt that would certainly be left if there had been no later charge: the rest is refilled already, and
-- a full bucket does not refill further. The last microsecond repays a part only; see GiveBack.java. Reduces the debt by time, so that a debt above the capacity stays exact.
-- A token bucket with a key of its returns is exact instead; see returns.lua.
give_back[BUCKET] = function(state, limit, k, cost, charged_at, was_fresh_at, _, amount, is_last, returns_k)
  if returns_k and returns_k > 0 then
    returns = returns or define_returns()
    local empty_at, slack, history =
      returns.reduce(state[2], state[3], limit, cost, amount, charged_at, was_fresh_at, is_last, returns_k)
    if history then returns.store(returns_k, history) end
    return empty_at and {BUCKET, empty_at, slack, state[4]}
  end
  local permits, period, unrefilled = limit[2], limit[3], was_fresh_at - now
  if state[2] <= now or unrefilled <= 0 then return nil end
  local returned = min(cost, max(limit[5], floor((9007199254740992 - permits) / period))) * period
  if unrefilled - 1 <= floor((returned - 1) / permits) then
    local passed, own = max(0, now - charged_at), 0
    if passed <= floor(returned / permits) then own = returned - passed * permits end
    returned = min(returned, max(own, (unrefilled - 1) * permits))
  end
  local empty_at, slack = state[2] - floor(returned / permits), state[3] + returned % permits
  if slack >= permits then empty_at, slack = empty_at - 1, slack - permits end
  if empty_at < now or empty_at == now and slack > 0 then empty_at, slack = now, 0 end
  return {BUCKET, empty_at, slack, state[4]}
end

fresh_at[BUCKET] = function(state)
  return state[2]
end
