-- The fast path, for the most frequent commands: plans of one bucket or of one fixed window, the plans of fast-plan.lua,
-- and the settlement of reservations of one counter (fast-settle.lua). It charges and returns the stored state
-- (STORED_STATE plus the number of requests, and the two fields that do not follow from the limit). The client computes
-- the outcomes from it, with TokenBucket.java, LeakyBucket.java or FixedWindow.java. Repeated requests cost no more than
-- one, and nothing is created that only the general path needs, which would take longer than a decision: a batch of 32
-- keys takes 105 µs, a batch of 32 requests for one key 8 µs.

-- Returns the cost of the requests that are admitted, out of `times` equal ones.
local function admitted_cost(price, times, available)
  if price * times <= available then return price * times end
  return available - available % price
end

local function bucket(key, limit, cost, times, commit)
  local permits, available, refill_time = limit[2], limit[4], limit[6]
  local kind, empty_at, slack, stored_refill_time, stored_expiry = nil, 0, 0, nil, nil
  local stored = pcall('GET', key)
  if stored then
    if type(stored) ~= 'string' then return false end
    kind, empty_at, slack, stored_refill_time, stored_expiry = decode(stored)
    if kind ~= BUCKET or stored_refill_time ~= refill_time or slack >= permits then return false end
  end
  reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + times, empty_at, slack
  local wait, stored_slack = empty_at - now, slack
  if wait <= 0 then
    empty_at, slack = now, 0
  elseif wait > refill_time then
    available = 0 -- a clock that stepped back or unchecked charges may exceed the maximum
  else
    available = available - wait * permits + slack
  end
  local debt = admitted_cost(cost * limit[3], times, available)
  if not (commit and debt > 0) then return true end
  debt = debt - slack
  slack = -debt % permits
  empty_at = empty_at + (debt + slack) / permits
  store_bucket(key, empty_at, slack, refill_time, stored, stored_slack, stored_expiry)
  return true
end

local function fixed_window(key, limit, cost, times, commit)
  local permits, alignment, length = limit[2], limit[3], limit[4]
  local kind, window_end, count, stored_permits, stored_alignment = nil, 0, 0, nil, nil
  local stored = pcall('GET', key)
  if stored then
    if type(stored) ~= 'string' then return false end
    kind, window_end, count, stored_permits, stored_alignment = decode(stored)
    if kind ~= FIXED or stored_permits ~= permits or stored_alignment ~= alignment then return false end
  end
  if now >= window_end then
    if length == 0 then return false end -- the general path handles calendar windows
    window_end, count = now - now % length + length, 0
  end
  reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + times, window_end, count
  local cost_total = admitted_cost(cost, times, permits - count)
  if commit and cost_total > 0 then
    -- An empty window was stored with an earlier expiry.
    store_fixed(key, window_end, count + cost_total, limit, count > 0 and stored)
  end
  return true
end

-- Executes the commands from `pos` on, up to the first that needs the general path.
local function fast_path()
  local size = #args
  while pos <= size do
    local mode, k, limit = args[pos], args[pos + 2], limits[args[pos + 3]]
    if mode > 1 then
      if mode ~= 10 or not settle(k, limit) then return end
    elseif args[pos + 1] > 0 or limit[1] == ROLLING then
      if not fast_plan() then return end
    elseif limit[1] == SLOTS then
      if not fast_slot() then return end
    else
      local evaluate = limit[1] == BUCKET and bucket or limit[1] == FIXED and fixed_window
      if not evaluate or states[k] ~= nil then return end
      if not evaluate(KEYS[k], limit, args[pos + 4], args[pos + 5], mode == 1) then return end
      n, pos = n + 3, pos + 6
    end
  end
end

fast_path()
if pos > #args then return cmsgpack.pack(reply) end
