-- Evaluates a charge of a sliding window (see sliding-window.lua) on the fast path: `cost` of the limit at offset `l`, on the
-- key of index `k`. A break leaves the plan to the general path, and nothing has changed then. Part of fast-path.lua, for a
-- plan of one charge, and of fast-plan.lua.

local buckets, width = args[l + 2], args[l + 3]
local subwindow, passed, state = (now - now % width) / width, 0, nil
local stored = get_text(key)
if stored then
  -- The general path reads counts of several bytes, and an error: not a string.
  if #stored ~= 21 + buckets then break end
  state = {decode(stored)}
  passed = state[1] == SLIDING and state[3] == width and state[4] == permits and #state == buckets + 5
    and subwindow - state[2] or -1
  if passed < 0 then break end -- of another limit, or the clock stepped back
end
local total, highest, left, overlap = 0, cost, permits, width - now % width
if state then
  for i = 5 + passed, buckets + 5 do
    local count = state[i]
    total = total + count
    if count > highest then highest = count end
  end
  local oldest = state[5 + passed] or 0
  left = permits - total
  if oldest > 0 and args[l + 4] == 0 then -- interpolated; rounded up
    local share = oldest * overlap
    local rest = share % width
    left = left + oldest - (share - rest) / width - (rest > 0 and 1 or 0)
  end
end
if cost > left then
  if not states then states = {} end
  states[k] = state or false
  break
end
local newest = state and state[buckets + 5] or 0
-- The general path encodes what has counts of several bytes, or a limit of several words.
if highest >= 128 or passed == 0 and newest + cost >= 128 or width >= WORD or permits >= WORD then break end
local fresh = (subwindow + buckets + 1) * width
remaining, reset = left - cost, fresh - now
