-- Permits of a counter that instances hold to spend them by themselves. Mirrors Held.java, which says why that
-- is right, Take.java, and `charged` of the limits that can be divided. These functions are made when a batch
-- first takes, reports, or meets a state of which something is held.
--
--   kept    HELD, how many hold something, the capacity of the limit whose permits they hold, for each of them
--           holder, amount, until (µs; who ends first comes first) and order, and then the state of what has been
--           charged, as its algorithm has it
--   state   HELD, and by name: state, capacity, all (a list of {holder, amount, until, order}), and the limit and the key
--           (by index) whose it is

local MOST_HOLDERS, MAX, LONGEST = 64, 9007199254740992, 3155760000000000
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min -- what a function refers to is paid for

local function divisible(limit)
  local kind = limit[1]
  return kind == FIXED or kind == SLIDING or kind == BUCKET and limit[7] == 0
end

local function capacity_of(limit)
  return limit[1] == BUCKET and limit[5] or limit[2]
end

local function is_own(state, limit)
  if state[1] ~= limit[1] then return false end
  if state[1] == BUCKET then return state[4] == limit[6] and state[3] < limit[2] end
  if state[1] == FIXED then return state[4] == limit[2] and state[5] == limit[3] end
  return #state == limit[3] + 5 and state[3] == limit[4] and state[4] == limit[2]
end

-- A state in the limit's own terms with a cost charged, room or not.
local function charged(state, limit, cost)
  if cost == 0 then return state end
  if limit[1] == BUCKET then
    local permits, period = limit[2], limit[3]
    local wait = max(0, state[2] - now)
    local price = min(cost, max(limit[5], floor((MAX - permits) / period))) * period
    local due = wait == 0 and price or price - state[3]
    local repaid_in = ceil(due / permits)
    if wait + repaid_in > LONGEST then return {BUCKET, now + LONGEST, 0, state[4]} end
    return {BUCKET, now + wait + repaid_in, repaid_in * permits - due, state[4]}
  end
  local next, total = {}, 0
  for i = 1, #state do next[i] = state[i] end
  if limit[1] == FIXED then
    next[3] = next[3] + min(cost, MAX - next[3])
    return next
  end
  for i = 5, #state do total = total + state[i] end
  local newest = next[#next]
  next[#next] = newest + max(0, min(cost, floor(MAX / limit[4]) - newest, MAX - total))
  return next
end

local function bare(state)
  return state[1] == HELD and state.state or state
end

local function of(state, all, limit, k)
  if #all == 0 then return state end
  return {HELD, state = state, capacity = capacity_of(limit), all = all, limit = limit, k = k}
end

-- Under a changed limit charges and holds are taken over in proportion. The running total is scaled rather than
-- each hold, so that rounding up adds one permit in all.
local function under(held, limit, k)
  local capacity = capacity_of(limit)
  if held.capacity == capacity and is_own(held.state, limit) then return held, false end
  local all, total, before = {}, 0, 0
  for _, one in ipairs(held.all) do
    total = total + one[2]
    local up_to = scaled(total, held.capacity, capacity)
    if up_to > before then all[#all + 1] = {one[1], up_to - before, one[3], one[4]} end
    before = up_to
  end
  return of((adopt[limit[1]](held.state, limit, k)), all, limit, k), true
end

-- Whether a state was written under another limit and still says something. Only a decision converts such a state:
-- a report or a release may come from an instance that has not seen the change yet.
local function is_of_another(state, limit, k)
  if not state then return false end
  local charged = bare(state)
  if is_own(charged, limit) then return false end
  if state[1] == HELD and state.all[#state.all][3] > now then return true end
  local kind = charged[1]
  if kind == BUCKET then return charged[2] > now end
  if kind == FIXED then return charged[3] > 0 and charged[2] > now end
  if kind == SLIDING then
    for i = #charged, 5, -1 do
      if charged[i] > 0 then return (charged[2] + i - 4) * charged[3] > now end
    end
    return false
  end
  local last = tonumber(call('ZREVRANGE', KEYS[k], 0, 0, 'WITHSCORES')[2])
  if kind == ROLLING then return last >= 0 and last + charged[2] > now end
  return last > now
end

-- Charges what was held by leases that are over by then, each when it was over.
local function settled(held, limit, k, by)
  local state, over, really = held.state, 0, now
  for _, one in ipairs(held.all) do
    if one[3] > by then break end
    now = one[3]
    state = charged((adopt[limit[1]](state, limit, k)), limit, one[2])
    over = over + 1
  end
  now = really
  return of(state, {unpack(held.all, over + 1)}, limit, k), over > 0
end

fresh_at[HELD] = function(held)
  local last = settled(held, held.limit, held.k, math.huge)
  return fresh_at[last[1]](last)
end

-- What is read from a key.
local function taken_apart(kept)
  local all, state = {}, {}
  local first = 4 + kept[2] * 4
  for i = 4, first - 1, 4 do all[#all + 1] = {kept[i], kept[i + 1], kept[i + 2], kept[i + 3]} end
  for i = first, #kept do state[#state + 1] = kept[i] end
  return {HELD, state = state, capacity = kept[3], all = all}
end

local function put_together(held)
  local kept = {HELD, #held.all, held.capacity}
  for _, one in ipairs(held.all) do
    for i = 1, 4 do kept[#kept + 1] = one[i] end
  end
  for _, number in ipairs(held.state) do kept[#kept + 1] = number end
  return kept
end

-- A state that says which part of its capacity is in use, holds included, and nothing else.
local function all_charged(held, k)
  local ALL, total = 1048576, 0
  for _, one in ipairs(held.all) do total = total + one[2] end
  local used = carried_over(held.state, KEYS[k], ALL) + scaled(total, held.capacity, ALL)
  return {BUCKET, now + min(ALL, used), 0, ALL}
end

-- In the limit's own terms, and without what is over. A limit that can't be divided takes over holds as charges.
local function known_held(held, k, limit, keep)
  local kind = limit[1]
  if not divisible(limit) then
    local own = adopt[kind](all_charged(held, k), limit, k, keep)
    if keep and kind == BUCKET then states[k], changed[k] = own, true end
    return own
  end
  local converted, is_other = under(held, limit, k)
  local rest, over = settled(converted, limit, k, now)
  local state, altered = adopt[kind](bare(rest), limit, k)
  local own = rest[1] == HELD and of(state, rest.all, limit, k) or state
  if keep and (is_other or over or altered) then states[k], changed[k] = own, true end
  return own
end

step[HELD] = function(held, limit, k, cost)
  local kind, state, all, sum = limit[1], held.state, held.all, 0
  for _, one in ipairs(all) do sum = sum + one[2] end
  local capacity = capacity_of(limit)
  local _, room = step[kind](state, limit, k, 0)
  local left = max(0, room - sum)
  if cost > 0 and cost <= left then
    local _, _, _, _, next = step[kind](state, limit, k, cost)
    next = of(next, all, limit, k)
    return PASSED, left - cost, max(now, fresh_at[HELD](next)) - now, 0, next
  end
  local reset = max(now, fresh_at[HELD](held)) - now
  if cost == 0 then return PASSED, left, reset, 0 end
  if cost > capacity then return NEVER, left, reset, 0 end
  if cost > capacity - sum then return REFUSED, left, reset, all[1][3] - now end
  local _, _, _, wait = step[kind](state, limit, k, cost + sum)
  return REFUSED, left, reset, wait
end

give_back[HELD] = function(held, limit, k, cost, made_at, was_fresh_at)
  local next = give_back[limit[1]](held.state, limit, k, cost, made_at, was_fresh_at)
  return next and of(next, held.all, limit, k)
end

local function take(k, limit, holder, order, spent, of_held, ends, cost, want, lease)
  local own = known(k, limit, cost > 0)
  if cost == 0 then
    if is_of_another(states[k], limit, k) then
      say(step[own[1]](own, limit, k, 0))
      n = n + 1
      said[n] = 0
      return
    end
    own = known(k, limit, true)
  end
  local others, mine, taken = {}, 0, 0
  for _, one in ipairs(own.all or {}) do
    if one[1] == holder then
      if one[4] > order then -- a later take has overtaken this one
        local kind, remaining, reset, wait = step[own[1]](own, limit, k, 0)
        if cost > 0 then kind, wait = REFUSED, 1 end
        say(kind, remaining, reset, wait)
        n = n + 1
        said[n] = 0
        return
      end
      mine = mine + one[2]
    else
      others[#others + 1] = one
      taken = taken + one[2]
    end
  end
  local function holding(amount, state)
    local all, till = {unpack(others)}, now + lease
    if amount > 0 then
      local place = #all
      while place > 0 and all[place][3] > till do place = place - 1 end
      table.insert(all, place + 1, {holder, amount, till, order})
    end
    return of(state, all, limit, k)
  end
  local used = 0
  if mine > 0 then
    used = mine == of_held and spent or spent == of_held and mine or scaled(spent, of_held, mine)
  elseif now < ends then
    used = spent -- the hold was lost with a server that failed
  end
  local left = max(0, mine - used)
  local spent_state = charged(bare(own), limit, used)
  local held = holding(left, spent_state)
  local kind, remaining, reset, wait, next = step[held[1]](held, limit, k, cost)
  -- A hold that a changed limit rounded up may not fit; only what is being spent stays then.
  local _, room = step[limit[1]](spent_state, limit, k, 0)
  local hold = min(left, want, max(ends == 0 and 0 or of_held - spent, room - taken))
  if kind == PASSED and #others < MOST_HOLDERS then hold = hold + min(want - hold, remaining) end
  held = holding(hold, bare(next or held))
  states[k], changed[k] = held, true
  kind, remaining, reset = kind, select(2, step[held[1]](held, limit, k, 0))
  say(kind, remaining, reset, wait)
  n = n + 1
  said[n] = hold
end

local function report(k, limit, cost)
  local own = known(k, limit, false)
  local counts = not is_of_another(states[k], limit, k)
  if counts then own = known(k, limit, true) end
  local state = charged(bare(own), limit, counts and cost or 0)
  if counts and cost > 0 then states[k], changed[k] = of(state, own.all or {}, limit, k), true end
  said[n + 1], said[n + 2], said[n + 3] = counts and 1 or 0, state[1], #state - 1
  n = n + 3
  for i = 2, #state do
    n = n + 1
    said[n] = state[i]
  end
end

return {known = known_held, take = take, report = report, taken_apart = taken_apart, put_together = put_together}
