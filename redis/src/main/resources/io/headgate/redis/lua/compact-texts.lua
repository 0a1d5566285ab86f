-- The states of counters in the layout `compact`. The states of the limits of one rule and subject that are texts share one
-- key: the part of their names up to the first bar, with the bar. This file is part of the script of this layout only.
-- In the layout `separate` these functions are commands (see Script.java).
--
--   text    MessagePack: for each state the rest of its name, its expiry (s) and its text. The key expires at the latest of
--           these. A state that has expired is dropped when the key is written next
--   shared  the text as a list, and by name: name (its key), expiry, is_changed, next_changed, and by the key of each
--           counter that was found the index of its state. A text that is false is none
--
-- A text of more than MAX_SHARED bytes has a key of its own, and keeps it until its expiry changes, as do the states of the
-- layout `separate`. So have sorted sets, the state of a rule with one limit, and the states after the first 32, which a rule
-- has whose overrides have counters of their own. A counter has a state in its shared key or in its own one, not in both. A
-- client declares both keys (see SharedKeys.java). So a cluster never evaluates a counter with one of them while the other is
-- on another node.
--
-- A shared key is read once per batch, and written once at its end.

local shared_keys = {} -- by name
local current -- the shared key of the last counter
local own_texts = {} -- by key of a counter: what its own key had when it was last read
local last_changed -- the last shared key to write

-- Reads a shared key.
local function read_shared(name)
  local text, expiry = call('GET', name), 0
  local shared = text and {name = name, expiry = 0, is_changed = false, next_changed = false, decode(text)}
    or {name = name, expiry = 0, is_changed = false, next_changed = false}
  for i = 2, #shared, 3 do
    local until_time = shared[i]
    if until_time > expiry then expiry = until_time end
    if sets_expiry and until_time * 1000000 <= now then shared[i + 1] = false end
  end
  shared.expiry = expiry
  shared_keys[name] = shared
  return shared
end

-- Makes the shared key of a counter the current one. Returns the index of the state there, or nil if it has a key of its own.
local function find_shared(key)
  local is_current = current and key:find(current.name, 1, true) == 1
  local bar = is_current and #current.name or key:find('|', 1, true)
  if not bar or key:byte(bar + 1) == 124 then return nil end -- one limit, maybe of an override
  if not is_current then
    local name = key:sub(1, bar)
    current = shared_keys[name] or read_shared(name)
  end
  local field = key:sub(bar + 1)
  local shared, i = current, 1
  local size = #shared
  while i <= size and shared[i] ~= field do i = i + 3 end
  if i > size then shared[i], shared[i + 1], shared[i + 2] = field, 0, false end
  shared[key] = i
  return i
end

-- Returns the text of a state, false if there is none, or an error if its own key is not a text.
local function get_text(key)
  local i = current and current[key] or find_shared(key)
  if not i then return pcall('GET', key) end
  local text = current[i + 2]
  if text then return text end
  text = pcall('GET', key)
  own_texts[key] = text
  return text
end

local function mark_changed()
  if current.is_changed then return end
  current.is_changed, current.next_changed = true, last_changed
  last_changed = current
end

-- Overwrites a part of the text of a state and keeps its expiry.
local function set_range(key, offset, bytes)
  local i = current and current[key] or find_shared(key)
  local text = i and current[i + 2]
  if not text then return call('SETRANGE', key, offset, bytes) end
  offset = offset + 0 -- a text
  current[i + 2] = text:sub(1, offset) .. bytes .. text:sub(offset + #bytes + 1)
  mark_changed()
end

-- Removes the text of a counter from its shared key.
local function delete_shared(key)
  local i = current and current[key] or find_shared(key)
  if not i or not current[i + 2] then return end
  current[i + 2] = false
  mark_changed()
end

-- Removes the state of a counter.
local function delete_text(key)
  delete_shared(key)
  own_texts[key] = nil
  call('DEL', key)
end

-- Writes the text of a state with its expiry (s).
local function put_text(key, text, expiry)
  local i = current and current[key] or find_shared(key)
  if not i or i > LAST_SHARED or #text > MAX_SHARED then
    if i then delete_shared(key) end
    --include separate-set
    return
  end
  if own_texts[key] then
    call('DEL', key)
    own_texts[key] = nil
  end
  current[i + 1], current[i + 2] = sets_expiry and expiry or NO_EXPIRY, text
  mark_changed()
end

-- Replaces the text of a state and keeps its expiry.
local function set_text(key, text, ...)
  local i = current and current[key] or find_shared(key)
  if not i or not current[i + 2] then return call('SET', key, text, ...) end
  if #text > MAX_SHARED then return put_text(key, text, current[i + 1]) end
  current[i + 2] = text
  mark_changed()
end

-- Writes the shared keys that have changed.
local function write_shared()
  local shared = last_changed
  while shared do
    local states, size, expiry = shared, #shared, 0
    for i = 3, size, 3 do
      if not shared[i] then
        states = {}
      elseif shared[i - 1] > expiry then
        expiry = shared[i - 1]
      end
    end
    if states ~= shared then -- without those that are no more
      size = 0
      for i = 3, #shared, 3 do
        if shared[i] then
          states[size + 1], states[size + 2], states[size + 3] = shared[i - 2], shared[i - 1], shared[i]
          size = size + 3
        end
      end
    end
    if size == 0 then
      call('DEL', shared.name)
    elseif not sets_expiry then
      call('SET', shared.name, cmsgpack.pack(unpack(states)))
    elseif expiry == shared.expiry then
      call('SET', shared.name, cmsgpack.pack(unpack(states)), 'KEEPTTL')
    else
      call('SET', shared.name, cmsgpack.pack(unpack(states)), 'PXAT', string.format('%d000', expiry))
    end
    shared = shared.next_changed
  end
end
