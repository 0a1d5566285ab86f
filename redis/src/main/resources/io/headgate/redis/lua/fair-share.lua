-- A token bucket that tenants share by weighted max-min fairness. Mirrors FairBucket.java, which explains it, and
-- FairDraft.java.
--
--   limit   permits and period in lowest terms, units (the maximum debt), capacity, refill_time (µs), scale (the ticks
--           of a permit)
--   state   empty_at (µs), slack, refill_time (as of a bucket), full (the ticks of the burst), at (µs), virtual, rest,
--           sweep_at (µs), then for each tenant its id, weight and finish
--   share   the id of the tenant and its weight

local FIRST_TENANT, MAX_TENANTS, MAX_VIRTUAL, MAX_SCANS, OTHERS = 10, 1024, 2251799813685248, 8, '\0others'

-- Returns a quotient, rounded down, and the remainder. Exact, although the division itself is rounded.
local function divide(a, b)
  local quotient = floor(a / b)
  local remainder = a - quotient * b
  if remainder < 0 then return quotient - 1, remainder + b end
  return quotient, remainder
end

local function divide_up(a, b)
  local quotient, remainder = divide(a, b)
  return remainder > 0 and quotient + 1 or quotient
end

local function idle_time(limit)
  return max(1000000, limit[6])
end

adopt[FAIR] = function(state, limit, k)
  local refill_time, full = limit[6], limit[5] * limit[7]
  if not state then return {FAIR, 0, 0, refill_time, full, now, 0, 0, 0}, false end
  local same_pool = (state[1] == FAIR or state[1] == BUCKET) and state[4] == refill_time and state[3] < limit[2]
  if same_pool and state[1] == FAIR and state[5] == full then return state, false end
  local empty_at, slack = state[2], state[3]
  if not same_pool then empty_at, slack = now + carried_over(state, KEYS[k], refill_time), 0 end
  local adopted = {FAIR, empty_at, slack, refill_time, full, now, 0, 0, 0}
  if state[1] ~= FAIR then return adopted, true end
  adopted[9] = state[9]
  for i = FIRST_TENANT, #state, 3 do
    local finish = state[i + 2]
    if finish > 0 then finish = scaled(finish - state[7], state[5], full) end
    adopted[i], adopted[i + 1], adopted[i + 2] = state[i], state[i + 1], finish
  end
  return adopted, true
end

-- Returns the ticks that are repaid in a time, rounded down, at most those of the burst.
local function ticks_in(micros, limit)
  local period, scale = limit[3], limit[7]
  local permits, rest = divide(micros >= limit[6] and limit[4] or micros * limit[2], period)
  return permits * scale + (divide(rest * scale, period))
end

-- Returns the time in which a number of ticks is repaid, rounded up.
local function time_for(ticks, limit)
  local permits, rest = divide(ticks, limit[7])
  return divide_up(permits * limit[3] + ceil(rest * limit[3] / limit[7]), limit[2])
end

local function earliest_finish(draft)
  local earliest = math.huge
  for i = FIRST_TENANT + 2, #draft, 3 do
    if draft[i] > 0 and draft[i] < earliest then earliest = draft[i] end
  end
  return earliest
end

-- Ends debts in the order of their ends, which is faster than a scan for each if many end.
local function repay_in_order(draft, left, indebted)
  local order = {}
  for i = FIRST_TENANT + 2, #draft, 3 do
    if draft[i] > 0 then order[#order + 1] = i end
  end
  table.sort(order, function(a, b) return draft[a] < draft[b] end)
  for _, i in ipairs(order) do
    local advance, rest = divide(left, indebted)
    if advance < draft[i] - draft[7] then
      draft[7], draft[8] = draft[7] + advance, rest
      return indebted
    end
    left = left - (draft[i] - draft[7]) * indebted
    draft[7], draft[i] = draft[i], -draft[2]
    indebted = indebted - draft[i - 1]
  end
  draft[7], draft[8] = 0, 0
  return 0
end

-- Advances the virtual clock and ends the debts that it reaches. Returns the weight that is still in debt.
local function repay(draft, ticks, indebted)
  local left = ticks + draft[8]
  for _ = 1, MAX_SCANS do
    local advance, rest = divide(left, indebted)
    local next_finish = earliest_finish(draft)
    if advance < next_finish - draft[7] then
      draft[7], draft[8] = draft[7] + advance, rest
      return indebted
    end
    left = left - (next_finish - draft[7]) * indebted
    draft[7] = next_finish
    for i = FIRST_TENANT, #draft, 3 do
      if draft[i + 2] > 0 and draft[i + 2] <= next_finish then
        draft[i + 2] = -draft[2]
        indebted = indebted - draft[i + 1]
      end
    end
    if indebted == 0 then
      draft[7], draft[8] = 0, 0
      return 0
    end
  end
  return repay_in_order(draft, left, indebted)
end

-- Drops the tenants that have been idle, in place.
local function sweep(draft, idle)
  draft[9] = now + floor(idle / 4)
  local to, size = FIRST_TENANT, #draft
  for i = FIRST_TENANT, size, 3 do
    if draft[i + 2] > 0 or now + draft[i + 2] < idle then
      if to < i then draft[to], draft[to + 1], draft[to + 2] = draft[i], draft[i + 1], draft[i + 2] end
      to = to + 3
    end
  end
  for i = size, to, -1 do draft[i] = nil end
end

-- Returns the position of the tenant, which is added if it is not active.
local function join(draft, share)
  local tenant, weight, others = share[1], share[2], nil
  for i = FIRST_TENANT, #draft, 3 do
    if draft[i] == tenant then return i end
    if draft[i] == OTHERS then others = i end
  end
  if #draft >= FIRST_TENANT + 3 * MAX_TENANTS - 1 then
    if others then return others end
    tenant, weight = OTHERS, 1
  end
  local position = #draft + 1
  draft[position], draft[position + 1], draft[position + 2] = tenant, weight, -now
  return position
end

-- Returns the debt of all tenants in units.
local function pool_debt(draft, limit)
  local wait = max(0, draft[2] - now)
  if wait > draft[4] then return limit[4] end
  return wait > 0 and wait * limit[2] - draft[3] or 0
end

step[FAIR] = function(state, limit, k, cost, share)
  local permits, period, units, scale, full = limit[2], limit[3], limit[4], limit[7], state[5]
  local draft, indebted = {}, 0
  for i = 1, #state do draft[i] = state[i] end
  for i = FIRST_TENANT, #state, 3 do
    if state[i + 2] > 0 then indebted = indebted + state[i + 1] end
  end
  draft[6] = max(now, state[6])
  if indebted > 0 then
    if now >= draft[2] then
      for i = FIRST_TENANT + 2, #draft, 3 do
        if draft[i] > 0 then draft[i] = -draft[2] end
      end
      draft[7], draft[8], indebted = 0, 0, 0
    elseif now > state[6] then
      indebted = repay(draft, ticks_in(now - state[6], limit), indebted)
    end
  end
  local idle = idle_time(limit)
  if now >= draft[9] then sweep(draft, idle) end
  local position = join(draft, share)
  local own = draft[position + 1]
  if own ~= share[2] and draft[position] == share[1] then -- the weight of the tenant has changed
    if draft[position + 2] > 0 then
      draft[8] = divide(draft[8] * (indebted + share[2] - own), indebted)
      indebted = indebted + share[2] - own
      draft[position + 2] = draft[7] + max(1, (divide((draft[position + 2] - draft[7]) * own, share[2])))
    end
    own = share[2]
    draft[position + 1] = own
  end
  local weight = 0
  for i = FIRST_TENANT + 1, #draft, 3 do weight = weight + draft[i] end
  local bound = divide(full, weight + 1)
  local owed = draft[position + 2] > 0 and draft[position + 2] - draft[7] or 0
  local debt = pool_debt(draft, limit)

  local function remaining(owed_now, debt_now)
    local in_share = divide(max(0, bound - owed_now) * own, scale)
    if owed_now == 0 then in_share = max(1, in_share) end
    return min(in_share, (divide(max(0, units - debt_now), period)))
  end

  local reset = max(0, draft[2] - now)
  if cost == 0 then return PASSED, remaining(owed, debt), reset, 0 end
  if cost > limit[5] then return EXCEEDS, remaining(owed, debt), reset, 0 end
  local price = divide(cost * scale, own)
  local in_share, in_pool = owed == 0 or owed + price <= bound, debt <= units - cost * period
  if in_share and in_pool then
    if owed == 0 then
      draft[8] = indebted == 0 and 0 or divide(draft[8] * (indebted + own), indebted)
    end
    draft[position + 2] = draft[7] + owed + price
    local wait = max(0, draft[2] - now)
    local new_debt = cost * period - (wait == 0 and 0 or draft[3])
    local repaid_in = ceil(new_debt / permits)
    draft[2], draft[3] = now + wait + repaid_in, repaid_in * permits - new_debt
    if draft[7] > MAX_VIRTUAL then
      for i = FIRST_TENANT + 2, #draft, 3 do
        if draft[i] > 0 then draft[i] = draft[i] - draft[7] end
      end
      draft[7] = 0
    end
    return PASSED, remaining(owed + price, pool_debt(draft, limit)), max(0, draft[2] - now), 0, draft
  end
  local retry = 0
  if not in_share then
    local ticks = owed + min(0, price - bound)
    retry = draft[2] - now
    if ticks <= divide(full, indebted) then retry = min(retry, time_for(ticks * indebted - draft[8], limit)) end
  end
  if not in_pool then
    retry = max(retry, draft[2] - floor((units - cost * period + draft[3]) / permits) - now)
  end
  return REFUSED, remaining(owed, debt), reset, retry
end

-- Returns the charge to the pool as a bucket does, and no more than that to the tenant.
give_back[FAIR] = function(state, limit, k, cost, charged_at, was_fresh_at, share)
  local permits, wait, unrefilled = limit[2], state[2] - now, was_fresh_at - now
  if wait <= 0 or wait > state[4] or unrefilled <= 0 then return nil end
  local returned = cost * limit[3]
  if unrefilled < returned / permits then returned = unrefilled * permits end
  local rest_debt = max(0, wait * permits - state[3] - returned)
  local repaid_in = ceil(rest_debt / permits)
  local next_state = {}
  for i = 1, #state do next_state[i] = state[i] end
  next_state[2], next_state[3] = now + repaid_in, repaid_in * permits - rest_debt
  for i = FIRST_TENANT, #state, 3 do
    if state[i] == share[1] and state[i + 2] > 0 then
      local whole, part = divide(returned, limit[3])
      local ticks = divide(whole * limit[7] + divide(part * limit[7], limit[3]), state[i + 1])
      local finish = state[i + 2] - ticks
      next_state[i + 2] = finish > state[7] and finish or state[7] + 1
    end
  end
  return next_state
end

fresh_at[FAIR] = function(state)
  return state[2] + max(1000000, state[4])
end
