-- A token bucket that tenants share by weighted max-min fairness. Mirrors FairBucket.java, which explains it,
-- FairDraft.java and FairState.java. The work of a command does not depend on the number of tenants, except that it ends
-- the debts that have been repaid since the stored state; each was begun by a charge.
--
--   limit   permits and period in lowest terms, units (the maximum debt), capacity, refill_time (µs), scale (the ticks
--           of a permit)
--   share   the id of the tenant and its weight
--   state   the header: empty_at (µs), slack, refill_time (as of a bucket), full (the ticks of the burst), at (µs),
--           virtual, rest, period, period_start, previous_start, the sums indebted, current and previous, last, the
--           number of members of weights, the number of tenants in the set, next (a lower bound of the virtual time at
--           which a debt ends), expiry (s); and by name: tenants (by id {finish, weight, weight in the set}; false if the
--           set has none), dirty (the ids to write), is_stored (other tenants are in the set), header (its member);
--           advanced (at the time of the batch), for which limit, and how many debts have ended
--   set     a sorted set. The member of score -1, the header, is 'F' and the numbers of the state. A member 't' .. id
--           has the finish of a tenant as its score, so the debts that end next are a range. A member 'w' .. id has the
--           weight of a tenant, if that is not 1, plus WEIGHTS. Tenants that are not active stay until they are dropped


local MAX_TENANTS, MAX_VIRTUAL, MAX_ENDED, OTHERS = 1024, 2251799813685248, 16, '\0others'
local REQUESTS_OWED = 3
local WEIGHTS, SUM, CHUNK = 4503599627370496, 2048, 100
local operations -- the functions of fair-operations.lua, once they are needed

-- Returns a quotient, rounded down, and the remainder. Exact, although the division itself is rounded.
local function divide(a, b)
  local quotient = floor(a / b)
  local remainder = a - quotient * b
  if remainder < 0 then return quotient - 1, remainder + b end
  return quotient, remainder
end

-- Returns a tenant, or false. Reads it once per batch.
local function find(state, key, id)
  local tenant = state.tenants[id]
  if tenant == nil and state.is_stored then
    local finish, weight = call('ZSCORE', key, 't' .. id), 1
    if finish and state[16] > 0 then weight = tonumber(call('ZSCORE', key, 'w' .. id) or WEIGHTS + 1) - WEIGHTS end
    tenant = finish and {tonumber(finish), weight, weight}
    state.tenants[id] = tenant
  end
  return tenant
end

local function rare(operation, ...)
  operations = operations or define_fair_operations(divide, find)
  return operations[operation](...)
end

-- Begins the period of a time. Tenants whose debt ended two periods before are not active.
local function begin_period(state, time)
  local period = floor(time / max(1000000, state[4]))
  if period <= state[9] then return end
  if period == state[9] + 1 then
    state[11], state[14] = state[10], state[13]
  else
    state[11], state[14] = state[7], 0
  end
  state[9], state[10], state[13] = period, state[7], 0
end

-- Advances the virtual clock by the ticks that have been repaid, and ends the debts that it reaches. Returns how many.
local function repay(state, key, ticks)
  local left, virtual, indebted, current = ticks + state[8], state[7], state[12], state[13]
  local from, ended, debts, index, size = virtual + 1, 0, {}, 1, 4
  while indebted > 0 do
    local weight = floor(indebted / SUM)
    local advance, rest = divide(left, weight)
    if virtual + advance < state[18] then
      state[7], state[8], state[12], state[13] = virtual + advance, rest, indebted, current
      return ended
    end
    if index > #debts then
      debts, index = call('ZRANGEBYSCORE', key, from, WEIGHTS, 'WITHSCORES', 'LIMIT', ended, size), 1
      size = CHUNK
    end
    local finish = tonumber(debts[index + 1])
    if not finish then break end -- another client has removed members of the set
    state[18] = finish
    if virtual + advance >= finish then
      left, virtual = left - (finish - virtual) * weight, finish
      local own = 1
      if state[16] > 0 then
        own = tonumber(call('ZSCORE', key, 'w' .. debts[index]:sub(2)) or WEIGHTS + 1) - WEIGHTS
      end
      indebted, current = indebted - own * SUM - 1, current + own * SUM + 1
      index, ended = index + 2, ended + 1
    end
  end
  state[7], state[8], state[12], state[13] = virtual, 0, 0, current
  return ended
end

-- Returns the state at the time of the batch, and how many debts have ended since it was stored. Does not change `state`.
local function advanced(state, limit, key)
  if state.advanced_by == limit then return state.advanced, state.ended end
  local indebted, elapsed = state[12], now - state[6]
  local is_repaid, is_new_period = indebted > 0 and now >= state[2], floor(now / max(1000000, state[4])) > state[9]
  if not is_repaid and not is_new_period and (indebted == 0 or elapsed <= 0) then return state, 0 end
  local next_state, ended = {unpack(state, 1, 19)}, 0
  next_state.tenants, next_state.dirty = state.tenants, state.dirty
  next_state.is_stored, next_state.header = state.is_stored, state.header
  if indebted > 0 then
    if is_new_period then begin_period(next_state, min(now, state[2])) end
    if is_repaid then
      next_state[7], next_state[8], next_state[12] = state[15], 0, 0
      next_state[13] = next_state[13] + indebted
    elseif elapsed > 0 then
      local period, scale = limit[3], limit[7]
      local permits, rest = divide(elapsed >= limit[6] and limit[4] or elapsed * limit[2], period)
      ended = repay(next_state, key, permits * scale + (divide(rest * scale, period)))
    end
  end
  if is_new_period then begin_period(next_state, now) end
  next_state[6] = max(now, state[6])
  state.advanced_by, state.advanced, state.ended = limit, next_state, ended
  return next_state, ended
end

adopt[FAIR] = function(state, limit, k)
  local refill_time, full = limit[6], limit[5] * limit[7]
  local kind = state and state[1]
  local has_same_pool = (kind == FAIR or kind == BUCKET) and state[4] == refill_time and state[3] < limit[2]
  if kind == FAIR and has_same_pool and state[5] == full then
    local now_state, ended = advanced(state, limit, KEYS[k])
    return now_state, ended >= MAX_ENDED
  end
  local empty_at, slack = 0, 0
  if has_same_pool then
    empty_at, slack = state[2], state[3]
  elseif state then
    empty_at = now + carried_over(state, KEYS[k], refill_time)
  end
  if kind == FAIR and now < state[2] + 2 * max(1000000, state[4]) then
    local next_state = rare('convert', state, KEYS[k], empty_at, slack, refill_time, full, now)
    return (advanced(next_state, limit, KEYS[k])), true
  end
  local period = floor(now / max(1000000, refill_time))
  return {FAIR, empty_at, slack, refill_time, full, now, 0, 0, period, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    tenants = {}, dirty = {}}, state and true or false
end

-- Returns an upper bound of the time in which the virtual clock advances by `ticks`, at most the time in which all debts
-- are repaid.
local function share_wait(limit, ticks, in_debt, rest, all_repaid_in, full)
  if ticks > divide(full, in_debt) then return all_repaid_in end
  local whole, part = divide(ticks * in_debt - rest, limit[7])
  local time, more = divide(whole * limit[3] + ceil(part * limit[3] / limit[7]), limit[2])
  return min(all_repaid_in, more > 0 and time + 1 or time)
end

-- Returns a time in which the virtual clock does not advance by `ticks`. Ends with the period.
local function certain_wait(limit, ticks, own, state)
  local repaid = min(ticks - 1, (divide(state[5], own))) * own - 1
  if repaid <= 0 then return 0 end
  local whole, part = divide(repaid, limit[7])
  local time = divide(whole * limit[3] + (divide(part * limit[3], limit[7])), limit[2])
  return min(time, max(0, (state[9] + 1) * max(1000000, state[4]) - now))
end

step[FAIR] = function(state, limit, k, cost, share)
  local permits, period, units, scale = limit[2], limit[3], limit[4], limit[7]
  local virtual, rest, indebted, current, previous = state[7], state[8], state[12], state[13], state[14]
  local id, own = share[1], share[2]
  local tenant = find(state, KEYS[k], id)
  local is_active = tenant and tenant[1] > state[11]
  if not is_active and indebted % SUM + current % SUM + previous % SUM >= MAX_TENANTS then
    id, own = OTHERS, 1
    tenant = find(state, KEYS[k], id)
    is_active = tenant and tenant[1] > state[11]
  end
  local finish = is_active and tenant[1] or virtual
  if is_active and tenant[2] ~= own then -- the weight of the tenant has changed
    local change = (own - tenant[2]) * SUM
    if finish > virtual then
      rest = divide(rest * floor((indebted + change) / SUM), floor(indebted / SUM))
      indebted = indebted + change
      finish = virtual + max(1, (divide((finish - virtual) * tenant[2], own)))
    elseif finish > state[10] then
      current = current + change
    else
      previous = previous + change
    end
  end
  local in_debt = floor(indebted / SUM)
  local weight = in_debt + floor(current / SUM) + floor(previous / SUM) + (is_active and 0 or own)
  local bound, owed = divide(state[5], weight + 1), max(0, finish - virtual)
  local empty_at, slack, wait = state[2], state[3], max(0, state[2] - now)
  local debt = wait > limit[6] and units or wait > 0 and wait * permits - slack or 0
  local outcome, retry, charge, certain = PASSED, 0, nil, nil
  local half = floor(limit[5] / 2)
  if cost > limit[5] then
    outcome = EXCEEDS
  elseif cost > 0 then
    local units_due, price = cost * period, divide(cost * scale, own)
    local in_share, in_pool = owed == 0 or owed + price <= floor(bound / 2), debt <= units - units_due
    local most, lower_due, fits_lower = max(bound - price, REQUESTS_OWED * price), (cost + half) * period, cost + half <= limit[5]
    if in_share and in_pool or owed <= most and fits_lower and debt <= units - lower_due then
      local ends = virtual + owed + price
      local first_end = in_debt == 0 and ends or min(state[18], ends)
      if owed == 0 then
        if is_active and finish > state[10] then
          current = current - own * SUM - 1
        elseif is_active then
          previous = previous - own * SUM - 1
        end
        rest = in_debt == 0 and 0 or divide(rest * (in_debt + own), in_debt)
        indebted = indebted + own * SUM + 1
      end
      local new_debt = units_due - (wait == 0 and 0 or slack)
      local repaid_in = ceil(new_debt / permits)
      charge = {state, now + wait + repaid_in, repaid_in * permits - new_debt, rest, indebted, current, previous,
        max(state[15], ends), first_end, id, {ends, own, tenant and tenant[3]}}
      owed, debt, wait = owed + price, debt + units_due, wait + repaid_in
    else
      outcome, certain = REFUSED, 0
      if not in_share then
        local ticks = owed + min(0, price - floor(bound / 2))
        retry = share_wait(limit, ticks, in_debt, rest, wait, state[5])
        certain = min(retry, certain_wait(limit, ticks, own, state))
      end
      if not in_pool then
        local pool_retry = max(0, empty_at - floor((units - units_due + slack) / permits) - now)
        retry, certain = max(retry, pool_retry), max(certain, pool_retry)
      end
      if not in_share and fits_lower then
        local pool_retry = max(0, empty_at - floor((units - lower_due + slack) / permits) - now)
        local lower_retry, lower_certain = pool_retry, pool_retry
        if owed > most then
          lower_retry = max(lower_retry, share_wait(limit, owed - most, in_debt, rest, wait, state[5]))
          lower_certain = max(lower_certain, certain_wait(limit, owed - most, own, state))
        end
        retry, certain = min(retry, lower_retry), min(certain, lower_certain)
      end
    end
  end
  local left = divide(max(0, units - debt), period)
  local in_share, lower = divide(max(0, floor(bound / 2) - owed) * own, scale), left - half
  if lower > 0 then in_share = max(in_share, min(lower, (divide(max(0, bound - owed) * own, scale)))) end
  local price = divide(scale, own)
  if owed == 0 or lower > 0 and owed <= max(bound - price, REQUESTS_OWED * price) then in_share = max(1, in_share) end
  return outcome, min(in_share, left), wait, retry, charge, certain
end

-- Makes a charge that step has returned, in place; or stores the state that state_after has returned.
append[FAIR] = function(charge, limit, k)
  local state, id = charge, charge[10]
  if charge[1] ~= FAIR then
    state = charge[1]
    state[2], state[3], state[6], state[8] = charge[2], charge[3], max(now, state[6]), charge[4]
    state[12], state[13], state[14], state[15], state[18] = charge[5], charge[6], charge[7], charge[8], charge[9]
    state.tenants[id], state.dirty[id] = charge[11], true
  end
  if k then states[k], changed[k] = state, true end
  return state
end

state_after[FAIR] = function(charge)
  return rare('copy_and_charge', charge)
end

give_back[FAIR] = function(...)
  return rare('give_back', ...)
end

store_set[FAIR] = function(state, key)
  if state[7] > MAX_VIRTUAL then
    state = rare('convert', state, key, state[2], state[3], state[4], state[5], state[6])
  end
  local previous_expiry = state.is_stored and state[19] or nil
  if not state.is_stored then delete_text(key) end
  local members, size, removed, added = {}, 0, {state.header}, 0
  for id in pairs(state.dirty) do
    local tenant = state.tenants[id]
    local weight, known_weight = tenant[2], tenant[3]
    if not known_weight then added = added + 1 end
    if weight ~= (known_weight or 1) then
      if weight == 1 then
        removed[#removed + 1] = 'w' .. id
        state[16] = state[16] - 1
      else
        members[size + 1], members[size + 2] = weight + WEIGHTS, 'w' .. id
        if not known_weight or known_weight == 1 then state[16] = state[16] + 1 end
        size = size + 2
      end
    end
    members[size + 1], members[size + 2] = tenant[1], 't' .. id
    size = size + 2
    if size >= CHUNK then
      call('ZADD', key, unpack(members))
      members, size = {}, 0
    end
  end
  state[17] = state[17] + added
  if state.is_stored and state[17] > state[12] % SUM + state[13] % SUM + state[14] % SUM then
    if size > 0 then call('ZADD', key, unpack(members)) end
    members, size = {}, 0
    rare('drop_inactive', state, key, 2 * added + 8)
  end
  local fresh = state[2] + 2 * max(1000000, state[4])
  state[19] = expiry_for(fresh, (fresh - now) / 4, previous_expiry)
  local header = 'F' .. struct.pack(FAIR_FORMAT, unpack(state, 2, 19))
  members[size + 1], members[size + 2] = -1, header
  call('ZADD', key, unpack(members))
  if header == state.header then removed = {unpack(removed, 2)} end
  if #removed > 0 then call('ZREM', key, unpack(removed)) end
  if sets_expiry and state[19] ~= previous_expiry then
    call('PEXPIRE', key, ceil((state[19] * 1000000 - now) / 1000))
  end
end
