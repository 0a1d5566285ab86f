-- The part of a capacity that is in use, in steps of 2^-20: what one limit takes over from another.
-- Mirrors Share.java, and `used` of each state.

local ALL = 1048576

local function share_of(part, whole)
  if part <= 0 then return 0 end
  if part >= whole then return ALL end
  local share, rest = 0, part
  for _ = 1, 20 do
    share, rest = share * 2, rest * 2
    if rest >= whole then share, rest = share + 1, rest - whole end
  end
  if rest > 0 then share = share + 1 end
  return share
end

local function share_floor(share, whole)
  return share * floor(whole / ALL) + floor(share * (whole % ALL) / ALL)
end

-- What a state of any algorithm comes to in a limit whose whole is `whole`.
local function carried_over(state, key, whole)
  local kind, share = state[1], 0
  if kind == BUCKET then
    share = share_of(state[2] - now, state[4])
  elseif kind == FIXED then
    share = now >= state[2] and 0 or share_of(state[3], state[4])
  elseif kind == SLIDING then
    local total, gone = 0, max(0, floor(now / state[3]) - state[2])
    for i = 5 + gone, #state do total = total + state[i] end
    share = share_of(total, state[4])
  elseif kind == ROLLING then
    local first = call('ZRANGEBYSCORE', key, max(0, now - state[2] + 1), '+inf', 'LIMIT', 0, 1)[1]
    if first then
      local total, cost = first:match('^(%d+):?(%d*)$')
      local last = call('ZREVRANGE', key, 0, 0)[1]:match('^%d+')
      share = share_of(last - total + (tonumber(cost) or 1), state[3])
    end
  else
    share = share_of(call('ZCOUNT', key, now + 1, '+inf'), state[2])
  end
  if share == 0 then return 0 end
  -- Rounded up once, not twice: or 1 of 3 would become 2 of 3 where only the window changes.
  return max(share_floor(share, whole), share_floor(share - 1, whole) + 1)
end
