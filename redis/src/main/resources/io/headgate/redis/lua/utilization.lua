-- The part of a capacity that is in use, in steps of 2^-20: what one limit takes over from another.
-- Mirrors Share.java, and `used` of each state.

-- What a part of one whole comes to in another: in proportion, rounded up, at most all.
local function scaled(part, of, whole)
  local ALL = 1048576
  if part <= 0 then return 0 end
  if part >= of then return whole end
  local share, rest = 0, part -- by long division: one binary digit a turn
  for _ = 1, 20 do
    share, rest = share * 2, rest * 2
    if rest >= of then share, rest = share + 1, rest - of end
  end
  if rest > 0 then share = share + 1 end
  -- Rounded up once, not twice: or 1 of 3 would become 2 of 3 where only the window changes.
  local high, low = floor(whole / ALL), whole % ALL
  local rounded_down = share * high + floor(share * low / ALL)
  return max(rounded_down, (share - 1) * high + floor((share - 1) * low / ALL) + 1)
end

-- What a state of any algorithm comes to in a limit whose whole is `whole`.
local function carried_over(state, key, whole)
  local kind, part, of = state[1], 0, 1
  if kind == BUCKET then
    part, of = state[2] - now, state[4]
  elseif kind == FIXED then
    part, of = now >= state[2] and 0 or state[3], state[4]
  elseif kind == SLIDING then
    local gone = max(0, floor(now / state[3]) - state[2])
    for i = 5 + gone, #state do part = part + state[i] end
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
  return scaled(part, of, whole)
end
