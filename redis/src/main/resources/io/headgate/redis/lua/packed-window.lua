-- Rolling windows of few requests, packed in a string: one command reads such a window and one writes it, where a sorted set
-- needs three to five. The functions are defined when the general path reads one.
--
--   text    MessagePack: FIXED, the end of the last request (its time plus the window, µs), the permits in use after it,
--           permits, and a text: the window (µs, 6 bytes), the total of all costs (3 bytes), the number of requests (2
--           bytes), for each request, oldest first, its time (µs, 6 bytes) and the total up to it (3 bytes), and room
--           for more
--   state   ROLLING, window, permits, and by name: text, last (the time of the last request), used (after it), total, count
--
-- Totals are modulo 2^24 and times modulo 2^48: a window has at most 10^6 permits and WIDEST µs. Expired requests may
-- remain at the front of the text. An earlier version, which has sets only, takes the text for a fixed window of another
-- limit. It carries over the permits in use, as requests of that moment, so that it never admits more than the limit.
--
-- A window of more than MOST requests is a sorted set (see rolling-window.lua), and stays one until it is empty.

-- HEADER has few fields, since each takes struct 0.05 µs. A field contains the bytes of MessagePack that are next to it: the
-- algorithm and the type of the end (KIND); the type of the permits in use (USED_TYPE); both types around the permits
-- (PERMITS_TYPE). FIELDS is the number of bytes of the header in the inner text, SHORTEST a text of one request.
--
-- append-request.lua adds requests. A window of more than FEW requests has room for an eighth more.

-- Returns for how long requests need no other expiry (µs): an expiry is up to 2 s more than that later than necessary.
local function renewal(window)
  return window > 16000000 and math.floor(window / 8) or 2000000
end

local function read(text)
  if #text < SHORTEST then return nil end
  local kind, ends_at, used, permits, _, window, total, count = unpack_struct(HEADER, text)
  if kind ~= KIND then return nil end -- a text of a fixed window is shorter
  return {
    ROLLING, window, (permits - PERMITS_TYPE) / 256,
    text = text, last = ends_at - window, used = used - USED_TYPE, total = total, count = count,
  }
end

-- Returns the index of the first request after a time, which the last one is.
local function first_after(text, last, count, time)
  local low, high = 1, count
  while low < high do
    local middle = math.floor((low + high) / 2)
    local at = unpack_struct('>I6', text, HEAD + 1 + (middle - 1) * SIZE)
    if last - (last - at) % TIMES <= time then low = middle + 1 else high = middle end
  end
  return low
end

-- Returns the time of a request and the total up to it.
local function entry(text, last, index)
  local at, total = unpack_struct(ENTRY, text, HEAD + 1 + (index - 1) * SIZE)
  return last - (last - at) % TIMES, total
end

-- Returns the permits in use by the requests from an index on, which is that of the first request in some window.
local function used_from(state, index)
  if index == 1 then return state.used end
  local _, before = entry(state.text, state.last, index - 1)
  return (state.total - before) % TOTALS
end

-- Returns the header of a window whose text has room for `room` requests.
local function encode(window, permits, last, used, total, count, room)
  return pack(
    HEADER, KIND, last + window, USED_TYPE + used, PERMITS_TYPE + permits * 256, FIELDS + room * SIZE, window, total, count)
end

-- Returns the text of a window: its header, the entries of its requests, and room for more.
local function text_of(window, permits, last, used, total, count, entries)
  if count <= FEW then return encode(window, permits, last, used, total, count, count) .. entries end
  local spare = math.floor(count / 8) + 1
  return encode(window, permits, last, used, total, count, count + spare) .. entries .. ('\0'):rep(spare * SIZE)
end

local function store(key, text, last, window)
  local renewed = renewal(window)
  set(key, text, math.ceil((last - last % renewed + renewed + window) / 1000000) + 1)
end

local function store_with_same_expiry(key, text)
  if sets_expiry then set_text(key, text, 'KEEPTTL') else set_text(key, text) end
end

-- Removes the requests before an index. Returns the state.
local function trim(key, state, index, used)
  local window, permits, last, count = state[2], state[3], state.last, state.count - index + 1
  local entries = state.text:sub(HEAD + 1 + (index - 1) * SIZE, HEAD + state.count * SIZE)
  local text = text_of(window, permits, last, used, state.total, count, entries)
  store_with_same_expiry(key, text)
  return {ROLLING, window, permits, text = text, last = last, used = used, total = state.total, count = count}
end

-- Replaces a window by requests: two lists of times and costs, oldest first.
local function replace(key, limit, times, costs)
  local used, entries = 0, {}
  for i = 1, #times do
    used = used + costs[i]
    entries[i] = pack(ENTRY, times[i] % TIMES, used % TOTALS)
  end
  if used == 0 then
    delete_text(key)
    return
  end
  local last, window = times[#times], limit[3]
  store(key, text_of(window, limit[2], last, used, used % TOTALS, #times, table.concat(entries)), last, window)
end

-- Returns the times and the costs of the requests from an index on.
local function requests(state, index)
  local text, last, times, costs = state.text, state.last, {}, {}
  local before = (state.total - used_from(state, index)) % TOTALS
  for i = index, state.count do
    local time, total = entry(text, last, i)
    times[#times + 1], costs[#costs + 1] = time, (total - before) % TOTALS
    before = total
  end
  return times, costs
end

return {
  read = read, first_after = first_after, entry = entry, used_from = used_from, trim = trim, replace = replace,
  requests = requests,
}
