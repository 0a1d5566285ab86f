-- Operations of limits that are shared fairly (see fair-share.lua) that most batches do not need. They are defined when a
-- batch first needs one.

local WEIGHTS, CHUNK, RESTARTED = 4503599627370496, 100, 2
local operations = {}

-- Reads all tenants of the set that have not been read yet.
local function read_all(state, key)
  if not state.is_stored then return end
  local members, unknown = call('ZRANGEBYSCORE', key, 0, WEIGHTS, 'WITHSCORES'), {}
  for i = 1, #members, 2 do
    local id = members[i]:sub(2)
    if state.tenants[id] == nil then
      unknown[id] = {tonumber(members[i + 1]), 1, 1}
      state.tenants[id] = unknown[id]
    end
  end
  if state[16] == 0 then return end
  members = call('ZRANGEBYSCORE', key, WEIGHTS + 1, '+inf', 'WITHSCORES')
  for i = 1, #members, 2 do
    local tenant, weight = unknown[members[i]:sub(2)], tonumber(members[i + 1]) - WEIGHTS
    if tenant then tenant[2], tenant[3] = weight, weight end
  end
end

-- Returns a state for another pool and another burst: debts are scaled in proportion, and the virtual clock starts
-- again. All tenants are written then, in place of the set. Mirrors FairState.converted.
operations.convert = function(state, key, empty_at, slack, refill_time, full, at)
  read_all(state, key)
  local virtual, period_start, previous_start, last = state[7], state[10], state[11], RESTARTED
  local is_same, tenants, dirty = full == state[5], {}, {}
  for id, tenant in pairs(state.tenants) do
    local finish = tenant and tenant[1] or 0
    if finish > previous_start then
      if finish > virtual then
        finish = RESTARTED + (is_same and finish - virtual or scaled(finish - virtual, state[5], full))
      else
        finish = finish > period_start and RESTARTED or 1
      end
      tenants[id], dirty[id], last = {finish, tenant[2]}, true, max(last, finish)
    end
  end
  local period = floor(at / max(1000000, refill_time))
  return {FAIR, empty_at, slack, refill_time, full, at, RESTARTED, is_same and state[8] or 0, period, 1, 0,
    state[12], state[13], state[14], last, 0, 0, 0, 0, tenants = tenants, dirty = dirty}
end

-- Returns the state after a charge that step has returned, and leaves the state before it as it is.
operations.copy_and_charge = function(charge)
  local state = charge[1]
  local copy = {unpack(state, 1, 19)}
  copy.tenants, copy.dirty, copy.is_stored, copy.header = {}, {}, state.is_stored, state.header
  for id, tenant in pairs(state.tenants) do copy.tenants[id] = tenant end
  for id in pairs(state.dirty) do copy.dirty[id] = true end
  charge[1] = copy
  return append[FAIR](charge)
end

-- Returns the charge to the pool as a bucket does, and no more than that to the tenant.
operations.give_back = function(state, limit, k, cost, charged_at, was_fresh_at, share)
  local permits, wait, unrefilled = limit[2], state[2] - now, was_fresh_at - now
  if wait <= 0 or wait > state[4] or unrefilled <= 0 then return nil end
  local returned = cost * limit[3]
  if unrefilled - 1 <= floor((returned - 1) / permits) then
    local passed, own = max(0, now - charged_at), 0
    if passed <= floor(returned / permits) then own = returned - passed * permits end
    returned = min(returned, max(own, (unrefilled - 1) * permits))
  end
  local rest_debt = max(0, wait * permits - state[3] - returned)
  local repaid_in = ceil(rest_debt / permits)
  state[2], state[3] = now + repaid_in, repaid_in * permits - rest_debt
  local id = share[1]
  local tenant = find(state, KEYS[k], id)
  if tenant and tenant[1] > state[7] then
    local whole, part = divide(returned, limit[3])
    local ticks = divide(whole * limit[7] + divide(part * limit[7], limit[3]), tenant[2])
    local finish = max(tenant[1] - ticks, state[7] + 1)
    state.tenants[id], state.dirty[id] = {finish, tenant[2], tenant[3]}, true
    state[18] = min(state[18], finish)
  end
  return state
end

-- Drops some tenants that are not active: more than a batch adds, so that they do not accumulate.
operations.drop_inactive = function(state, key, count)
  local members = call('ZRANGEBYSCORE', key, 0, state[11], 'LIMIT', 0, count)
  for first = 1, #members, CHUNK do
    local chunk = {unpack(members, first, min(#members, first + CHUNK - 1))}
    state[17] = state[17] - call('ZREM', key, unpack(chunk))
    if state[16] > 0 then
      for i = 1, #chunk do chunk[i] = 'w' .. chunk[i]:sub(2) end
      state[16] = state[16] - call('ZREM', key, unpack(chunk))
    end
  end
end

return operations
