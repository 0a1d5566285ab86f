-- Sliding window, as counts of its subwindows. Mirrors SlidingWindow.java.
--
--   limit   permits, buckets, width of a subwindow (µs), conservative 0|1
--   state   subwindow (its number since the epoch), width, permits, then buckets + 1 counts, oldest first

adopt[SLIDING] = function(state, limit, k)
  local permits, buckets, width = limit[2], limit[3], limit[4]
  local subwindow = floor(now / width)
  local matches = state and state[1] == SLIDING and #state == buckets + 5 and state[3] == width and state[4] == permits
  local moved, used, altered
  if matches then
    if subwindow <= state[2] then return state, false end -- the clock stepped back; keep the counts
    local passed = min(subwindow - state[2], buckets + 1)
    moved, used = {SLIDING, subwindow, width, permits, unpack(state, 5 + passed)}, 0
    altered = max(unpack(state, 5)) > 0
  else
    moved, used, altered = {SLIDING, subwindow, width, permits}, 0, false
    if state then used, altered = carried_over(state, KEYS[k], permits), true end
  end
  for i = #moved + 1, buckets + 5 do moved[i] = 0 end
  moved[buckets + 5] = moved[buckets + 5] + used
  return moved, altered
end

local function sliding_fresh(state)
  for i = #state, 5, -1 do
    if state[i] > 0 then return (state[2] + i - 4) * state[3] end
  end
  return 0
end

step[SLIDING] = function(state, limit, k, cost)
  local permits, buckets, width, conservative = limit[2], limit[3], limit[4], limit[5] == 1
  local start = state[2] * width
  local time = max(now, start)
  local total = 0
  for i = 5, #state do total = total + state[i] end
  local oldest = state[5]
  local remaining
  if conservative then
    remaining = max(0, permits - total)
  else
    remaining = max(0, permits - (total - oldest) - ceil(oldest * (width - (time - start)) / width))
  end
  if cost > 0 and cost <= remaining then
    local next_state = {unpack(state)}
    next_state[buckets + 5] = next_state[buckets + 5] + cost
    return PASSED, remaining - cost, (state[2] + buckets + 1) * width - now, 0, next_state
  end
  local reset = max(now, sliding_fresh(state)) - now
  if cost > permits then return EXCEEDS, remaining, reset, 0 end
  if cost == 0 then return PASSED, remaining, reset, 0 end
  -- Finds the first time at which the cost fits without further charges, one subwindow after the other.
  local allowance, total_inside, ahead = permits - cost, total, 0
  while true do
    local begin, leaving = start + ahead * width, state[5 + ahead] or 0
    total_inside = total_inside - leaving
    if conservative then
      if total_inside + leaving <= allowance then return REFUSED, remaining, reset, max(time, begin) - now end
    elseif total_inside <= allowance then
      local overlap = leaving == 0 and width or min(width, floor((allowance - total_inside) * width / leaving))
      return REFUSED, remaining, reset, max(time, begin + width - overlap) - now
    end
    ahead = ahead + 1
  end
end

-- Starts at the subwindow of the charge; if the clock had stepped back, a later one was charged. Never returns to an
-- earlier subwindow, which contains other charges.
give_back[SLIDING] = function(state, limit, k, cost, charged_at)
  local next_state, changes = {}, false
  for i = 1, #state do next_state[i] = state[i] end
  local charged_index = #state - (state[2] - floor(charged_at / limit[4]))
  for i = max(5, charged_index), #state do
    local returned = min(cost, state[i])
    next_state[i], cost, changes = state[i] - returned, cost - returned, changes or returned > 0
  end
  return changes and charged_index >= 5 and next_state or nil
end

fresh_at[SLIDING] = sliding_fresh

-- Encodes the state. Small counts are one byte each, without the conversions of cmsgpack.
encode[SLIDING] = function(state)
  local width, permits = state[3], state[4]
  if width >= 4294967296 or permits >= 4294967296 or max(unpack(state, 5)) >= 128 then
    return cmsgpack.pack(unpack(state))
  end
  return struct.pack('>BBI8BI4BI4', SLIDING, 0xcf, state[2], 0xce, width, 0xce, permits) .. string.char(unpack(state, 5))
end
