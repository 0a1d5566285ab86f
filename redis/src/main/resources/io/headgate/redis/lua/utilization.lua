-- The utilization of a limit, in steps of 2^-20, which carries over when the limit is changed. Mirrors
-- Utilization.java, and `used` of each state.

-- Scales a part of one capacity to another: in proportion, rounded up, at most the capacity.
local function scaled(part, of, capacity)
  local WHOLE = 1048576
  if part <= 0 then return 0 end
  if part >= of then return capacity end
  local share, rest = 0, part -- long division, one binary digit per iteration
  for _ = 1, 20 do
    share, rest = share * 2, rest * 2
    if rest >= of then share, rest = share + 1, rest - of end
  end
  if rest > 0 then share = share + 1 end
  -- Rounded up once, not twice; otherwise 1 of 3 would become 2 of 3 when only the window changes.
  local high, low = floor(capacity / WHOLE), capacity % WHOLE
  local rounded_down = share * high + floor(share * low / WHOLE)
  return max(rounded_down, (share - 1) * high + floor((share - 1) * low / WHOLE) + 1)
end

-- Converts the use of a state of any algorithm to a limit of capacity `capacity`.
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
    if state.text then
      local last, time = state.last, max(now, state.last)
      if last + state[2] > time then
        part = packed.used_from(state, packed.first_after(state.text, last, state.count, time - state[2]))
      end
      return scaled(part, of, capacity)
    end
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
