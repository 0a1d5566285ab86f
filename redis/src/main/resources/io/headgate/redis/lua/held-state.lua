-- Counters with holds: permits that instances hold to decide locally. Mirrors HeldState.java, which explains why it is
-- correct, HoldRequest.java, and `charged` of the limits that are Holdable. These functions are defined when a batch
-- first has a hold, a report or a state with holds.
--
--   stored  HELD, the number of holds, the capacity of the limit whose permits are held, for each hold the holder,
--           amount, until (µs; in ascending order) and order, and then the state of the charged permits, in the format of its
--           algorithm
--   state   HELD, and by name: state, capacity, holds (a list of {holder, amount, until, order}), limit, k (the key, by
--           index)

local MAX_HOLDERS, MAX_INTEGER, MAX_WAIT = 64, 9007199254740992, 3155760000000000
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min -- each upvalue of a function costs time

local function is_holdable(limit)
  local kind = limit[1]
  return kind == FIXED or kind == SLIDING or kind == BUCKET and limit[7] <= 0
end

local function capacity_of(limit)
  return limit[1] == BUCKET and limit[5] or limit[2]
end

local function matches_limit(state, limit)
  if state[1] ~= limit[1] then return false end
  if state[1] == BUCKET then return state[4] == limit[6] and state[3] < limit[2] end
  if state[1] == FIXED then return state[4] == limit[2] and state[5] == limit[3] end
  return #state == limit[3] + 5 and state[3] == limit[4] and state[4] == limit[2]
end

-- The permits that can be charged to a bucket before its debt exceeds the highest.
local function room(state, limit, wait)
  local permits = limit[2]
  local left = min(MAX_WAIT, limit[6] - 1 - limit[7], floor((MAX_INTEGER - permits) / permits)) - wait
  return left <= 0 and 0 or floor((left * permits + (wait > 0 and state[3] or 0)) / limit[3])
end

-- Charges a cost to a state of the limit, even beyond its capacity. Returns also the permits that it has charged.
local function charge_unchecked(state, limit, cost)
  if cost == 0 then return state, 0 end
  if limit[1] == BUCKET then
    local permits, period = limit[2], limit[3]
    local wait = max(0, state[2] - now)
    if limit[7] < 0 then
      cost = min(cost, room(state, limit, wait))
      if cost == 0 then return state, 0 end
    end
    local price = min(cost, max(limit[5], floor((MAX_INTEGER - permits) / period))) * period
    local new_debt = wait == 0 and price or price - state[3]
    local repaid_in = ceil(new_debt / permits)
    if wait + repaid_in > MAX_WAIT then return {BUCKET, now + MAX_WAIT, 0, state[4]}, cost end
    return {BUCKET, now + wait + repaid_in, repaid_in * permits - new_debt, state[4]}, cost
  end
  local next_state, total = {}, 0
  for i = 1, #state do next_state[i] = state[i] end
  if limit[1] == FIXED then
    local counted = min(cost, MAX_INTEGER - next_state[3])
    next_state[3] = next_state[3] + counted
    return next_state, counted
  end
  for i = 5, #state do total = total + state[i] end
  local newest = next_state[#next_state]
  local counted = max(0, min(cost, floor(MAX_INTEGER / limit[4]) - newest, MAX_INTEGER - total))
  next_state[#next_state] = newest + counted
  return next_state, counted
end

local function charged_state(state)
  return state[1] == HELD and state.state or state
end

local function with_holds(state, holds, limit, k)
  if #holds == 0 then return state end
  return {HELD, state = state, capacity = capacity_of(limit), holds = holds, limit = limit, k = k}
end

-- Converts charges and holds to a changed limit, in proportion. The running total is scaled rather than each hold, so
-- that rounding up adds at most one permit in total.
local function convert(held, limit, k)
  local capacity = capacity_of(limit)
  if held.capacity == capacity and matches_limit(held.state, limit) then return held, false end
  local holds, total, before = {}, 0, 0
  for _, entry in ipairs(held.holds) do
    total = total + entry[2]
    local up_to = scaled(total, held.capacity, capacity)
    if up_to > before then holds[#holds + 1] = {entry[1], up_to - before, entry[3], entry[4]} end
    before = up_to
  end
  return with_holds((adopt[limit[1]](held.state, limit, k)), holds, limit, k), true
end

-- Returns whether a state was written under another limit and is not fresh. Only a decision converts such a state: a
-- report or a release may come from an instance that has not loaded the change yet.
local function belongs_to_other_limit(state, limit, k)
  if not state then return false end
  local charged = charged_state(state)
  if matches_limit(charged, limit) then return false end
  if state[1] == HELD and state.holds[#state.holds][3] > now then return true end
  local kind = charged[1]
  if kind == BUCKET then return charged[2] > now end
  if kind == FAIR then return charged[2] + 2 * max(1000000, charged[4]) > now end
  if kind == FIXED then return charged[3] > 0 and charged[2] > now end
  if kind == SLIDING then
    for i = #charged, 5, -1 do
      if charged[i] > 0 then return (charged[2] + i - 4) * charged[3] > now end
    end
    return false
  end
  local last = charged.text and charged.last or tonumber(call('ZREVRANGE', KEYS[k], 0, 0, 'WITHSCORES')[2])
  if kind == ROLLING then return last >= 0 and last + charged[2] > now end
  return last > now
end

-- Charges the holds that end by `until_time`, each at its own end.
local function settle(held, limit, k, until_time)
  local state, expired, real_now = held.state, 0, now
  for _, entry in ipairs(held.holds) do
    if entry[3] > until_time then break end
    now = entry[3]
    state = charge_unchecked((adopt[limit[1]](state, limit, k)), limit, entry[2])
    expired = expired + 1
  end
  now = real_now
  return with_holds(state, {unpack(held.holds, expired + 1)}, limit, k), expired > 0
end

fresh_at[HELD] = function(held)
  local last = settle(held, held.limit, held.k, math.huge)
  return fresh_at[last[1]](last)
end

-- Converts the stored form to a state.
local function decode(stored)
  local holds, state = {}, {}
  local first = 4 + stored[2] * 4
  for i = 4, first - 1, 4 do holds[#holds + 1] = {stored[i], stored[i + 1], stored[i + 2], stored[i + 3]} end
  for i = first, #stored do state[#state + 1] = stored[i] end
  return {HELD, state = state, capacity = stored[3], holds = holds}
end

local function encode(held)
  local stored = {HELD, #held.holds, held.capacity}
  for _, entry in ipairs(held.holds) do
    for i = 1, 4 do stored[#stored + 1] = entry[i] end
  end
  for _, number in ipairs(held.state) do stored[#stored + 1] = number end
  return stored
end

-- Returns a state with the same utilization, holds included.
local function as_utilization(held, k)
  local WHOLE, total = 1048576, 0
  for _, entry in ipairs(held.holds) do total = total + entry[2] end
  local used = carried_over(held.state, KEYS[k], WHOLE) + scaled(total, held.capacity, WHOLE)
  return {BUCKET, now + min(WHOLE, used), 0, WHOLE}
end

-- Converts a state to the limit and charges expired holds. A limit that is not holdable adopts holds as charges.
local function load_held(held, k, limit, commit)
  local kind = limit[1]
  if not is_holdable(limit) then
    local state_now = adopt[kind](as_utilization(held, k), limit, k, commit)
    if commit and (kind == BUCKET or kind == FAIR) then states[k], changed[k] = state_now, true end
    return state_now
  end
  local converted, was_converted = convert(held, limit, k)
  local rest, expired = settle(converted, limit, k, now)
  local state, altered = adopt[kind](charged_state(rest), limit, k)
  local state_now = rest[1] == HELD and with_holds(state, rest.holds, limit, k) or state
  if commit and (was_converted or expired or altered) then states[k], changed[k] = state_now, true end
  return state_now
end

step[HELD] = function(held, limit, k, cost)
  local kind, state, holds, held_total = limit[1], held.state, held.holds, 0
  for _, entry in ipairs(holds) do held_total = held_total + entry[2] end
  local capacity = capacity_of(limit)
  local _, available = step[kind](state, limit, k, 0)
  local left = max(0, available - held_total)
  if cost > 0 and cost <= left then
    local _, _, _, _, charged = step[kind](state, limit, k, cost)
    local next_state = with_holds(charged, holds, limit, k)
    -- A receipt does not include the holds, which may be released before it is returned.
    local receipt_fresh = max(now, fresh_at[kind](charged)) - now
    return PASSED, left - cost, max(now, fresh_at[HELD](next_state)) - now, 0, next_state, receipt_fresh
  end
  local reset = max(now, fresh_at[HELD](held)) - now
  if cost == 0 then return PASSED, left, reset, 0 end
  if cost > capacity then return EXCEEDS, left, reset, 0 end
  if cost > capacity - held_total then return REFUSED, left, reset, holds[1][3] - now end
  local _, _, _, wait = step[kind](state, limit, k, cost + held_total)
  return REFUSED, left, reset, wait
end

give_back[HELD] = function(held, limit, k, ...)
  local next_state = give_back[limit[1]](held.state, limit, k, ...)
  return next_state and with_holds(next_state, held.holds, limit, k)
end

-- Takes a counter without a state, at a home that may have lost it, for one that was exhausted when home began to grant.
local function assume_exhausted(k, limit)
  load_state(k, limit, false)
  if states[k] then return end
  local real_now = now
  now = home_ready_at
  states[k] = charge_unchecked((adopt[limit[1]](false, limit, k)), limit, capacity_of(limit))
  now = real_now
end

-- Settles the previous hold of a holder and grants a new one of at most `want` permits.
local function request_hold(k, limit, holder, order, spent, reported_hold, hold_end, cost, want, lease)
  if home_ready_at and home_ready_at > 0 then assume_exhausted(k, limit) end
  local state_now = load_state(k, limit, cost > 0)
  if cost == 0 then
    if belongs_to_other_limit(states[k], limit, k) then
      local kind, remaining, reset, wait = step[state_now[1]](state_now, limit, k, 0)
      add_outcome(kind, remaining, reset, wait)
      n = n + 1
      reply[n] = 0
      return
    end
    state_now = load_state(k, limit, true)
  end
  local others, own_amount, held_by_others = {}, 0, 0
  for _, entry in ipairs(state_now.holds or {}) do
    if entry[1] == holder then
      if entry[4] > order then -- a later request has overtaken this one
        local kind, remaining, reset, wait = step[state_now[1]](state_now, limit, k, 0)
        if cost > 0 then kind, wait = REFUSED, 1 end
        add_outcome(kind, remaining, reset, wait)
        n = n + 1
        reply[n] = 0
        return
      end
      own_amount = own_amount + entry[2]
    else
      others[#others + 1] = entry
      held_by_others = held_by_others + entry[2]
    end
  end
  local function with_own_hold(amount, state)
    local holds, expires_at = {unpack(others)}, now + lease
    if amount > 0 then
      local index = #holds
      while index > 0 and holds[index][3] > expires_at do index = index - 1 end
      table.insert(holds, index + 1, {holder, amount, expires_at, order})
    end
    return with_holds(state, holds, limit, k)
  end
  local used = 0
  if own_amount > 0 then
    if own_amount == reported_hold then
      used = spent
    elseif spent == reported_hold then
      used = own_amount
    else
      used = scaled(spent, reported_hold, own_amount)
    end
  elseif now < hold_end then
    used = spent -- the hold was lost in a failover
  end
  local unspent = max(0, own_amount - used)
  local spent_state = charge_unchecked(charged_state(state_now), limit, used)
  local held = with_own_hold(unspent, spent_state)
  local kind, remaining, reset, wait, next_state = step[held[1]](held, limit, k, cost)
  -- A hold that a changed limit rounded up may not fit; only its spendable part stays then.
  local _, available = step[limit[1]](spent_state, limit, k, 0)
  local hold = min(unspent, want, max(hold_end == 0 and 0 or reported_hold - spent, available - held_by_others))
  if kind == PASSED and #others < MAX_HOLDERS then hold = hold + min(want - hold, remaining) end
  held = with_own_hold(hold, charged_state(next_state or held))
  states[k], changed[k] = held, true
  kind, remaining, reset = kind, select(2, step[held[1]](held, limit, k, 0))
  add_outcome(kind, remaining, reset, wait)
  n = n + 1
  reply[n] = hold
end

-- Charges permits that were spent locally and returns the state.
local function report(k, limit, cost)
  local state_now = load_state(k, limit, false)
  local is_counted = not belongs_to_other_limit(states[k], limit, k)
  if is_counted then state_now = load_state(k, limit, true) end
  local state = charge_unchecked(charged_state(state_now), limit, is_counted and cost or 0)
  if is_counted and cost > 0 then states[k], changed[k] = with_holds(state, state_now.holds or {}, limit, k), true end
  reply[n + 1], reply[n + 2], reply[n + 3] = is_counted and 1 or 0, state[1], #state - 1
  n = n + 3
  for i = 2, #state do
    n = n + 1
    reply[n] = state[i]
  end
end

-- Charges a cost to a state, which may have holds. Returns also the permits that it has charged.
local function charge_with_holds(state, limit, k, cost)
  local charged, counted = charge_unchecked(charged_state(state), limit, cost)
  return with_holds(charged, state.holds or {}, limit, k), counted
end

return {
  load_state = load_held, request_hold = request_hold, report = report, decode = decode, encode = encode,
  is_holdable = is_holdable, belongs_to_other_limit = belongs_to_other_limit, charge_unchecked = charge_with_holds,
}
