-- Reads the state of each key once per batch.

-- Returns the state that the first member of a sorted set, its signature, describes.
local function read_signature(member)
  if not member then return false end
  if member:byte() == 70 then
    local state = {FAIR, struct.unpack(FAIR_FORMAT, member, 2)}
    state.tenants, state.dirty, state.is_stored, state.header = {}, {}, true, member
    return state
  end
  local window, permits = member:match('^R(%d+):(%d+)$')
  if window then return {ROLLING, tonumber(window), tonumber(permits)} end
  local max_slots = member:match('^C(%d+)$')
  if max_slots then return {SLOTS, tonumber(max_slots), member = member} end
  local slots, learned_at, lease, ages_from, learned = member:match('^A(%d+):(%d+):(%d+):(%d+):(.*)$')
  return {
    SLOTS, tonumber(slots), learned_at = tonumber(learned_at), lease = tonumber(lease), ages_from = tonumber(ages_from),
    learned = learned, member = member,
  }
end

read_state = function(k, kind)
  local key, text = KEYS[k], nil
  if kind == SLOTS or kind == FAIR then
    local head = redis.pcall('ZRANGE', key, 0, kind == SLOTS and 1 or 0, 'WITHSCORES')
    if not head.err then
      local state = read_signature(head[1])
      if state and head[4] then state.first = tonumber(head[4]) end
      --compact if state then
      return state
      --compact end
    end
    text = get_text(key) -- the algorithm of the rule was changed
    --compact if not text then return false end
  else
    text = get_text(key)
    if not text then return false end
    if type(text) ~= 'string' then return read_signature(call('ZRANGE', key, 0, 0)[1]) end
  end
  if #text > 33 and text:byte() == FIXED then -- longer than a fixed window
    packed = packed or define_packed()
    local window = packed.read(text)
    if window then return window end
  end
  local state = {cmsgpack.unpack(text)}
  if type(state[1]) == 'table' then -- FAIR as an earlier version stored it: keeps the debt of the pool
    state = {BUCKET, state[1][2], state[1][3], state[1][4]}
  end
  if state[1] == HELD then
    holds = holds or define_holds()
    return holds.decode(state)
  end
  sizes[k] = #text
  if state[1] == BUCKET then
    expiries[k], state[5] = state[5], nil
  elseif state[1] == kind then
    -- The expiry of a window follows from its state, unless the state was fresh already.
    local fresh = fresh_at[kind](state)
    expiries[k] = fresh > now and expiry_for(fresh, 0) or nil
  end
  return state
end

-- Returns the state converted to the limit: of the limit's algorithm, or HELD.
load_state = function(k, limit, commit)
  local kind, state = limit[1], states[k]
  if state == nil then
    state = read_state(k, kind)
    states[k] = state
  end
  if state and state[1] == HELD then return holds.load_state(state, k, limit, commit) end
  local adopted, altered = adopt[kind](state, limit, k, commit)
  if altered and commit then states[k], changed[k] = adopted, true end
  return adopted
end

local function apply_charge(k, limit, next_state)
  local append_member = append[limit[1]]
  if append_member then
    append_member(next_state, limit, k)
  else
    states[k], changed[k] = next_state, true
  end
end
