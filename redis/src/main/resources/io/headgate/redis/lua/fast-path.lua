-- The fast path, for the most frequent commands: plans of one bucket or of one fixed window, the plans of fast-plan.lua,
-- the slots of fast-slot.lua, and the settlement of reservations of one counter (fast-settle.lua). It charges and returns the
-- stored state (STORED_STATE plus the number of requests, and the two fields that do not follow from the limit). The client
-- computes the outcomes from it, with TokenBucket.java, LeakyBucket.java or FixedWindow.java. Repeated requests cost no more
-- than one, and nothing is created that only the general path needs, which would take longer than a decision.

-- Executes the commands from `pos` on, up to the first that needs the general path.
local function fast_path()
  local args, limits, states, reply, now = args, limits, states, reply, now -- a local is faster than an upvalue
  local size = #args
  while pos <= size do
    local p = pos
    local mode, k, limit = args[p], args[p + 2], limits[args[p + 3]]
    local kind = limit and limit[1]
    if mode > 1 then
      if mode ~= 10 or not settle(k, limit) then return end
    elseif args[p + 1] > 0 or kind == ROLLING or kind == SLIDING then
      if not fast_plan() then return end
    elseif kind == SLOTS then
      if not fast_slot() then return end
    elseif kind ~= BUCKET and kind ~= FIXED or states[k] ~= nil then
      return
    else
      local key, permits, cost, times = KEYS[k], limit[2], args[p + 4], args[p + 5]
      local stored_kind, first, second, third, fourth = kind, 0, 0, nil, nil
      local stored = pcall('GET', key)
      if stored then
        if #stored == 0 then return end -- an error: not a string
        stored_kind, first, second, third, fourth = decode(stored)
        if stored_kind ~= kind then return end
      end
      if kind == BUCKET then
        local available, refill_time, price = limit[4], limit[6], cost * limit[3]
        if stored and (third ~= refill_time or second >= permits) then return end
        reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + times, first, second
        local wait, empty_at, slack = first - now, first, second
        if wait <= 0 then
          empty_at, slack = now, 0
        elseif wait > refill_time then
          available = 0 -- a clock that stepped back or unchecked charges may exceed the maximum
        else
          available = available - wait * permits + slack
        end
        local debt = price * times -- of the requests that are admitted, out of `times` equal ones
        if debt > available then debt = available - available % price end
        if debt > 0 and mode == 1 then
          debt = debt - slack
          slack = -debt % permits
          store_bucket(key, empty_at + (debt + slack) / permits, slack, refill_time, stored, second, fourth)
        end
      else
        if stored and (third ~= permits or fourth ~= limit[3]) then return end
        if now >= first then
          local length = limit[4]
          if length == 0 then return end -- the general path handles calendar windows
          first, second = now - now % length + length, 0
        end
        reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + times, first, second
        local admitted = cost * times
        if admitted > permits - second then admitted = permits - second - (permits - second) % cost end
        if admitted > 0 and mode == 1 then
          -- An empty window was stored with an earlier expiry.
          store_fixed(key, first, second + admitted, limit, second > 0 and stored)
        end
      end
      n, pos = n + 3, p + 6
    end
  end
end

fast_path()
if pos > #args then return cmsgpack.pack(reply) end
