-- Sliding window, as counts of its pieces. Mirrors SlidingWindow.java.
--
--   limit   permits, buckets, width of a piece (µs), conservative 0|1
--   state   piece (its number since the epoch), width, permits, then buckets + 1 counts, oldest first

adopt[SLIDING] = function(state, limit, k)
  local permits, buckets, width = limit[2], limit[3], limit[4]
  local piece = floor(now / width)
  local own = state and state[1] == SLIDING and #state == buckets + 5 and state[3] == width and state[4] == permits
  local gone, taken, altered = buckets + 1, 0, false
  if own then
    if piece <= state[2] then return state, false end -- clocks step back; counts must not
    gone = min(piece - state[2], buckets + 1)
    for i = 5, #state do altered = altered or state[i] > 0 end
  elseif state then
    taken, altered = carried_over(state, KEYS[k], permits), true
  end
  local moved = {SLIDING, piece, width, permits}
  for i = 5 + gone, buckets + 5 do moved[i - gone] = state[i] end
  for i = buckets + 6 - gone, buckets + 5 do moved[i] = 0 end
  moved[buckets + 5] = moved[buckets + 5] + taken
  return moved, altered
end

local function sliding_fresh(state)
  for i = #state, 5, -1 do
    if state[i] > 0 then return (state[2] + i - 4) * state[3] end
  end
  return 0
end

step[SLIDING] = function(state, limit, k, cost)
  local permits, buckets, width, whole = limit[2], limit[3], limit[4], limit[5] == 1
  local start = state[2] * width
  local time = max(now, start)
  local total = 0
  for i = 5, #state do total = total + state[i] end
  local oldest = state[5]
  local left
  if whole then
    left = max(0, permits - total)
  else
    left = max(0, permits - (total - oldest) - ceil(oldest * (width - (time - start)) / width))
  end
  local reset = max(now, sliding_fresh(state)) - now
  if cost > permits then return NEVER, left, reset, 0 end
  if cost == 0 then return PASSED, left, reset, 0 end
  if cost <= left then
    local next = {}
    for i = 1, #state do next[i] = state[i] end
    next[buckets + 5] = next[buckets + 5] + cost
    return PASSED, left - cost, sliding_fresh(next) - now, 0, next
  end
  -- The first moment at which the cost fits, if nobody else comes: piece by piece ahead.
  local room, inside, ahead = permits - cost, total, 0
  while true do
    local begins, out = start + ahead * width, state[5 + ahead] or 0
    inside = inside - out
    if whole then
      if inside + out <= room then return REFUSED, left, reset, max(time, begins) - now end
    elseif inside <= room then
      local overlap = out == 0 and width or min(width, floor((room - inside) * width / out))
      return REFUSED, left, reset, max(time, begins + width - overlap) - now
    end
    ahead = ahead + 1
  end
end

-- From the piece of the charge on; a clock that had stepped back charged a later one. Never from an earlier piece: it
-- holds other charges.
give_back[SLIDING] = function(state, limit, k, cost, made_at)
  local next, changes = {}, false
  for i = 1, #state do next[i] = state[i] end
  local made_in = #state - (state[2] - floor(made_at / limit[4]))
  for i = max(5, made_in), #state do
    local back = min(cost, state[i])
    next[i], cost, changes = state[i] - back, cost - back, changes or back > 0
  end
  return changes and made_in >= 5 and next or nil
end

fresh_at[SLIDING] = sliding_fresh
