-- Token bucket and leaky bucket. Mirrors Bucket.java; the arithmetic is in single-buckets.lua.
--
--   limit   permits and period in lowest terms, units (the largest debt), capacity, drain (µs), queues 0|1
--   state   empty_at (µs), slack, drain

adopt[BUCKET] = function(state, limit, k)
  local drain = limit[6]
  if not state then return {BUCKET, 0, 0, drain}, false end
  if state[1] == BUCKET and state[4] == drain and state[3] < limit[2] then return state, false end
  return {BUCKET, now + carried_over(state, KEYS[k], drain), 0, drain}, true
end

step[BUCKET] = function(state, limit, k, cost)
  local kind, remaining, reset, wait, empty_at, slack = bucket(limit, cost, state[2], state[3])
  return kind, remaining, reset, wait, empty_at and {BUCKET, empty_at, slack, state[4]}
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
