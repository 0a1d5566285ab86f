-- The permits that were returned to a token bucket, by the time of their charges, and the last reset of a counter.
-- Mirrors ReturnHistory.java, which explains why it is correct, and GiveBack.java. These functions are defined when a
-- batch first needs them: fast-settle.lua does not in the usual case.
--
--   stored    expires_at (µs), empty_at after the last return (µs), and for each span of time its beginning (µs), the
--             permits that were returned and its lowest debt (both as times, µs); as integers of eight bytes

local MAX_SPANS, CELLS, MAX_INTEGER = 40, 36, 9007199254740992
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local FIRST = 3 -- the index of the first span
local RESET, RESET_MARGIN = MAX_INTEGER, 1000000 -- `returned` of charges that a reset has removed; see ReturnHistory.java
local histories = {} -- by index of KEYS; false: none; nil: not read yet

local returns = {}

-- Decodes the stored history of a key, unless it is known.
local function decode(k, text)
  if histories[k] ~= nil then return histories[k] end
  local history = false
  if text then
    history = {struct.unpack('>' .. ('I8'):rep(#text / 8), text)}
    history[#history] = nil -- the position after the text
    if history[1] <= now then history = false end
  end
  histories[k] = history
  return history
end

local function read(k)
  local history = histories[k]
  if history == nil then return decode(k, call('GET', KEYS[k])) end
  return history
end

returns.decode = decode

-- Returns the index of the span that includes a time.
local function index_of(history, at)
  local index = #history - 2
  while index > FIRST and history[index] > at do index = index - 3 end
  return index
end

-- Returns whether a reset has removed the charges of a time.
function returns.is_reset(k, at)
  local history = k > 0 and read(k)
  return history and history[index_of(history, at) + 1] >= RESET
end

-- Returns the work that is left of a charge and of all before it (µs).
local function left_of(history, at, fresh)
  if not history then return fresh - 1 - now end
  local last, own = #history - 2, index_of(history, at)
  local returned = history[own + 1]
  local since_then = fresh - 1 - now - returned
  if own == last then return since_then end
  local lowest = fresh - 1 - min(now, history[own + 3]) - returned
  for i = own + 5, last - 1, 3 do
    if history[i] < lowest then lowest = history[i] end
  end
  if history[last] <= now then lowest = min(lowest, history[2] - 1 - now) end
  return max(since_then, lowest)
end

-- Merges the spans of one cell, and all that begin before a time; the last one stays.
local function merge(history, before, width)
  local kept, size = {history[1], history[2], history[3], history[4], history[5]}, 5
  for i = FIRST + 3, #history - 5, 3 do
    local from, returned, lowest = history[i], history[i + 1], history[i + 2]
    if from < before or floor(from / width) == floor(kept[size - 2] / width) then
      if returned > kept[size - 1] then kept[size - 1] = returned end
      if lowest < kept[size] then kept[size] = lowest end
    else
      kept[size + 1], kept[size + 2], kept[size + 3] = from, returned, lowest
      size = size + 3
    end
  end
  local last = #history - 2
  kept[size + 1], kept[size + 2], kept[size + 3] = history[last], history[last + 1], history[last + 2]
  return kept
end

-- Adds a return to a history, or to none.
local function add(history, at, micros, before, after, refill_time)
  history = history or {0, 0, 0, 0, 0}
  local last = #history - 2
  if history[last] <= now then history[last + 1], history[last + 2] = 0, max(0, history[2] - 1 - now) end
  local until_time = max(now, at, history[last] - 1)
  if history[last] <= until_time then
    last = last + 3
    history[last], history[last + 1], history[last + 2] = until_time + 1, 0, 0
  end
  local first = index_of(history, at)
  if history[first] ~= at then
    for i = last + 2, first, -1 do history[i + 3] = history[i] end
    first, last = first + 3, last + 3
    history[first] = at
  end
  for i = first, last - 3, 3 do
    history[i + 1] = min(MAX_INTEGER, history[i + 1] + micros)
    history[i + 2] = max(0, history[i + 2] - micros)
  end
  history[1], history[2] = max(history[1], before), after
  if #history <= 2 + 3 * MAX_SPANS then return history end
  local width = ceil(refill_time / CELLS)
  local kept = merge(history, now - refill_time, width)
  if #kept > 2 + 3 * MAX_SPANS then kept = merge(history, MAX_INTEGER, width) end -- the clock stepped back
  return kept
end

function returns.store(k, history)
  histories[k] = history
  local text = struct.pack('>' .. ('I8'):rep(#history), unpack(history))
  if sets_expiry then
    call('SET', KEYS[k], text, 'EXAT', ceil(history[1] / 1000000) + 1)
  else
    call('SET', KEYS[k], text)
  end
end

-- Records that a counter whose charges are fresh at a time is about to be reset.
function returns.store_reset(k, fresh)
  returns.store(k, {fresh + RESET_MARGIN, 0, 0, RESET, 0, now + RESET_MARGIN + 1, 0, 0})
end

-- Returns the state of a bucket without `cost` permits of a charge of `amount`, and the history to store, if any.
-- Returns nothing if the state does not change.
function returns.reduce(empty_at, slack, limit, cost, amount, at, fresh, is_last, k)
  if empty_at <= now then return end
  local permits, period, history = limit[2], limit[3], read(k)
  local countable = max(limit[5], floor((MAX_INTEGER - permits) / period))
  local returned, left = min(cost, countable) * period, left_of(history, at, fresh)
  if left <= floor((returned - 1) / permits) then
    local own, passed = min(amount, countable) * period, max(0, now - at)
    own = passed <= floor(own / permits) and own - passed * permits or 0
    returned = min(returned, max(own, max(0, left) * permits))
  end
  if returned <= 0 then return end
  local next_at, next_slack = empty_at - floor(returned / permits), slack + returned % permits
  if next_slack >= permits then next_at, next_slack = next_at - 1, next_slack - permits end
  if next_at < now or next_at == now and next_slack > 0 then next_at, next_slack = now, 0 end
  -- If nothing was charged since, no other charge has seen this one.
  if not history and is_last and fresh == empty_at and period >= permits then return next_at, next_slack end
  return next_at, next_slack, add(history, at, ceil(returned / permits), empty_at, next_at, limit[6])
end

return returns
