-- Fixed window. Mirrors FixedWindow.java.
--
--   limit   permits, cut (which tells one way of cutting time from another), length (µs); or, where the
--           calendar cuts, length 0 and three ends of windows, of which the first after now is meant. prelude.lua
--           has made sure that now is between the first and the last; a lease may have ended before that
--   state   end (µs), count, permits, cut

local function end_after(time, limit)
  local length = limit[4]
  if length > 0 then return (floor(time / length) + 1) * length end
  if time < limit[5] then return limit[5] end
  if time < limit[6] then return limit[6] end
  return limit[7]
end

adopt[FIXED] = function(state, limit, k)
  local permits, cut = limit[2], limit[3]
  if not state then return {FIXED, end_after(now, limit), 0, permits, cut}, false end
  if state[1] == FIXED and state[4] == permits and state[5] == cut then
    -- Also when the clock has stepped back: the window that was entered last goes on.
    if now < state[2] then return state, false end
    return {FIXED, end_after(now, limit), 0, permits, cut}, state[3] > 0
  end
  return {FIXED, end_after(now, limit), carried_over(state, KEYS[k], permits), permits, cut}, true
end

step[FIXED] = function(state, limit, k, cost)
  local window_end, count, permits = state[2], state[3], limit[2]
  local left = max(0, permits - count) -- more may have been charged
  local reset = count == 0 and 0 or window_end - now
  if cost > permits then return NEVER, left, reset, 0 end
  if cost > left then return REFUSED, left, reset, window_end - now end
  if cost == 0 then return PASSED, left, reset, 0 end
  return PASSED, left - cost, window_end - now, 0, {FIXED, window_end, count + cost, permits, state[5]}
end

-- A charge of another window than the current one has ended with it.
give_back[FIXED] = function(state, limit, k, cost, made_at)
  if state[3] == 0 or end_after(made_at, limit) ~= state[2] then return nil end
  return {FIXED, state[2], max(0, state[3] - cost), state[4], state[5]}
end

fresh_at[FIXED] = function(state)
  return state[3] == 0 and 0 or state[2]
end
