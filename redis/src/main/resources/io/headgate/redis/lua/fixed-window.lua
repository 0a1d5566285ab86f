-- Fixed window. Mirrors FixedWindow.java.
--
--   limit   permits, alignment (the signature of how windows are aligned), length (µs); for calendar windows, length
--           0 and three window ends, of which the first after now applies. prelude.lua has checked that now is
--           between the first and the last; a hold may have expired before the first
--   state   end (µs), count, permits, alignment

local function end_after(time, limit)
  local length = limit[4]
  if length > 0 then return (floor(time / length) + 1) * length end
  if time < limit[5] then return limit[5] end
  if time < limit[6] then return limit[6] end
  return limit[7]
end

adopt[FIXED] = function(state, limit, k)
  local permits, alignment = limit[2], limit[3]
  if not state then return {FIXED, end_after(now, limit), 0, permits, alignment}, false end
  if state[1] == FIXED and state[4] == permits and state[5] == alignment then
    -- If the clock has stepped back, the latest window remains current.
    if now < state[2] then return state, false end
    return {FIXED, end_after(now, limit), 0, permits, alignment}, state[3] > 0
  end
  return {FIXED, end_after(now, limit), carried_over(state, KEYS[k], permits), permits, alignment}, true
end

step[FIXED] = function(state, limit, k, cost)
  local window_end, count, permits = state[2], state[3], limit[2]
  local remaining = max(0, permits - count) -- unchecked charges may exceed permits
  local reset = count == 0 and 0 or window_end - now
  if cost > permits then return EXCEEDS, remaining, reset, 0 end
  if cost > remaining then return REFUSED, remaining, reset, window_end - now end
  if cost == 0 then return PASSED, remaining, reset, 0 end
  return PASSED, remaining - cost, window_end - now, 0, {FIXED, window_end, count + cost, permits, state[5]}
end

-- A charge of an earlier window has expired with it.
give_back[FIXED] = function(state, limit, k, cost, charged_at)
  if state[3] == 0 or end_after(charged_at, limit) ~= state[2] then return nil end
  return {FIXED, state[2], max(0, state[3] - cost), state[4], state[5]}
end

fresh_at[FIXED] = function(state)
  return state[3] == 0 and 0 or state[2]
end
