-- What is kept under a key, read once in a batch.

-- A sorted set is signed by its first member.
local function signed(member)
  if not member then return false end
  local window, permits = member:match('^R(%d+):(%d+)$')
  if window then return {ROLLING, tonumber(window), tonumber(permits)} end
  return {SLOTS, tonumber(member:match('^C(%d+)$'))}
end

local function load(k, kind)
  local key, text = KEYS[k], nil
  if kind >= ROLLING then
    local first = redis.pcall('ZRANGE', key, 0, 0)
    if not first.err then return signed(first[1]) end
    text = call('GET', key) -- the rule had another algorithm before
  else
    text = redis.pcall('GET', key)
    if not text then return false end
    if type(text) ~= 'string' then return signed(call('ZRANGE', key, 0, 0)[1]) end
  end
  local state = {cmsgpack.unpack(text)}
  if state[1] == HELD then
    held = held or make_held()
    return held.taken_apart(state)
  end
  sizes[k] = #text
  if state[1] == BUCKET then
    tills[k], state[5] = state[5], nil
  elseif state[1] == kind then
    -- What a window was given follows from it, unless it was as good as none already.
    local fresh = fresh_at[kind](state)
    tills[k] = fresh > now and gone_at(fresh, 0) or nil
  end
  return state
end

-- The state in the limit's own terms: of the limit's algorithm, or HELD.
known = function(k, limit, keep)
  local kind, state = limit[1], states[k]
  if state == nil then
    state = load(k, kind)
    states[k] = state
  end
  if state and state[1] == HELD then return held.known(state, k, limit, keep) end
  local own, altered = adopt[kind](state, limit, k, keep)
  if altered and keep then states[k], changed[k] = own, true end
  return own
end

local function charge(k, limit, next)
  local add = append[limit[1]]
  if add then
    add(next, limit, k)
  else
    states[k], changed[k] = next, true
  end
end
