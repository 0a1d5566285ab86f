-- The plans. Mirrors Plan.java and Combine.java.
--
--   a plan    LOOK or DECIDE, how many parts, the parts; or, for a rule that is enforced and has but one
--             limit, 0 and that charge
--   a part    how many charges, ALL, ANY or WEIGHTED, the share that must pass (thousandths), enforced 0|1,
--             then for each its charge and its weight
--   a charge  key, limit (both by index), cost, and for concurrency the holder (a text)
--   or        RENEW or RELEASE, key, limit, holder: says 1, or 0 if that holder has no slot
--   or        GIVE_BACK, a charge: says 1
--
--   a limit says PASSED, REFUSED or NEVER, remaining, reset_after (µs), and delay or retry_after (µs)

local DECIDE, RENEW, RELEASE, GIVE_BACK = 1, 2, 3, 4
local ANY, WEIGHTED = 1, 2
local said, n = {}, 0

local function say(kind, remaining, reset, wait)
  said[n + 1], said[n + 2], said[n + 3], said[n + 4] = kind, remaining, reset, wait
  n = n + 4
end

-- A sorted set is signed by its first member.
local function signed(member)
  if not member then return false end
  local window, permits = member:match('^R(%d+):(%d+)$')
  if window then return {ROLLING, tonumber(window), tonumber(permits)} end
  return {SLOTS, tonumber(member:match('^C(%d+)$'))}
end

local function load(key, kind)
  if kind >= ROLLING then
    local first = redis.pcall('ZRANGE', key, 0, 0)
    if not first.err then return signed(first[1]) end
    return {cmsgpack.unpack(call('GET', key))}
  end
  local text = redis.pcall('GET', key)
  if not text then return false end
  if type(text) == 'string' then return {cmsgpack.unpack(text)} end
  return signed(call('ZRANGE', key, 0, 0)[1]) -- the rule had another algorithm before
end

local function known(k, limit, keep)
  local kind, state = limit[1], states[k]
  if state == nil then
    state = load(KEYS[k], kind)
    states[k] = state
  end
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

local function read_charge(part)
  local c = {k = args[at], limit = limits[args[at + 1]], cost = args[at + 2], part = part}
  at = at + 3
  if c.limit[1] == SLOTS then
    c.holder = args[at]
    at = at + 1
  end
  return c
end

-- When these limits let a request pass: 0 if now, math.huge if never.
local function retry_after(part)
  local first, last = math.huge, 0
  for _, c in ipairs(part) do
    first, last = min(first, c.passes_after), max(last, c.passes_after)
  end
  if part.combine == ANY then return first end
  if part.combine ~= WEIGHTED then return last end
  local earliest = math.huge
  for _, candidate in ipairs(part) do
    local time, whole, passing = candidate.passes_after, 0, 0
    for _, c in ipairs(part) do
      whole = whole + c.weight
      if c.passes_after <= time then passing = passing + c.weight end
    end
    if passing * 1000 >= whole * part.permille then earliest = min(earliest, time) end
  end
  return earliest
end

local function several(count, keep)
  local charges, parts, allowed = {}, {}, true
  for p = 1, count do
    local part = {combine = args[at + 1], permille = args[at + 2], enforced = args[at + 3] == 1}
    local size = args[at]
    at = at + 4
    for i = 1, size do
      local c = read_charge(part)
      c.weight = args[at]
      at = at + 1
      c.own = known(c.k, c.limit, keep)
      c.kind, c.remaining, c.reset, c.wait, c.next = step[c.limit[1]](c.own, c.limit, c.k, c.cost, c.holder)
      c.passes_after = c.kind == PASSED and 0 or c.kind == REFUSED and c.wait or math.huge
      part[i] = c
      charges[#charges + 1] = c
    end
    part.passes = retry_after(part) == 0
    if part.enforced and not part.passes then allowed = false end
  end
  for _, c in ipairs(charges) do
    local part = c.part
    local charged = allowed and part.passes and c.kind == PASSED and not (part.combine == ANY and part.spent)
    if charged then
      part.spent = true
      if keep and c.next then charge(c.k, c.limit, c.next) end
    elseif c.kind == PASSED then
      c.kind, c.remaining, c.reset, c.wait = step[c.limit[1]](c.own, c.limit, c.k, 0, c.holder)
    end
    say(c.kind, c.remaining, c.reset, c.wait)
  end
end

while at <= #args do
  local mode, count = args[at], args[at + 1]
  at = at + 2
  if mode == RENEW or mode == RELEASE then
    n = n + 1
    said[n] = alter[mode == RENEW and 'renew' or 'release'](count, limits[args[at]], args[at + 1])
    at = at + 2
  elseif mode == GIVE_BACK then
    at = at - 1
    local c = read_charge()
    local next = give_back[c.limit[1]](known(c.k, c.limit, true), c.limit, c.k, c.cost, c.holder)
    if next then states[c.k], changed[c.k] = next, true end
    n = n + 1
    said[n] = 1
  elseif count > 0 then
    several(count, mode == DECIDE)
  else
    local k, limit, cost, holder, keep = args[at], limits[args[at + 1]], args[at + 2], nil, mode == DECIDE
    local kind = limit[1]
    at = at + 3
    if kind == SLOTS then
      holder = args[at]
      at = at + 1
    end
    local what, remaining, reset, wait, next = step[kind](known(k, limit, keep), limit, k, cost, holder)
    if next and keep then charge(k, limit, next) end
    say(what, remaining, reset, wait)
  end
end

for k in pairs(changed) do
  local state = states[k]
  local text = cmsgpack.pack(unpack(state))
  if expires then
    call('SET', KEYS[k], text, 'PX', ttl(fresh_at[state[1]](state)))
  else
    call('SET', KEYS[k], text)
  end
end

return cmsgpack.pack(said)
