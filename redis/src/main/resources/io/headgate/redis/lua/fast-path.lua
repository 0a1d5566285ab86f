-- Executes the commands. The fast path is for the most frequent ones: plans of one bucket or window, the plans of
-- fast-plan.lua, the slots of fast-slot.lua, and the settlement of reservations of one counter (fast-settle.lua). All others
-- take the general path (general-path.lua). A bucket or fixed window is charged and returned as its stored state (STORED_STATE
-- plus the number of requests, and the two fields that do not follow from the limit). The client computes the outcomes from
-- it, with TokenBucket.java, LeakyBucket.java or FixedWindow.java. Repeated requests cost no more than one.
--
-- A batch often has one command: in a cluster, each hash slot is a call. So nothing is created that this command does not need.
-- This file is not a function, and a function or table of other commands is created when the first of these is reached. A
-- plan of one charge needs no function, and no table but the arguments. A limit is the offset of its algorithm in the
-- arguments; its parameters follow.

local size = #args
local reply, n = nil, 1 -- the reply and its length; created with room for two outcomes, since each extension costs
local states -- by index of KEYS; false: no key; nil: not read yet
local limits, charge, is_charged, returns, define_returns, settle, execute, store_states -- once they are needed
-- A text that depends on a limit only: the end of the text of a fixed window, or the signature of a sorted set; and the
-- last limit for which it was created.
local limit_text, text_limit
local score, ttl, unexpired -- of fast-slot.lua
local sliding_size, sliding_offset -- the last length of a sliding window, and the offset of its last byte

while pos <= size do
  local p = pos
  repeat -- a break leaves the command to the general path, unless `pos` is after it
    local mode, k = args[p], args[p + 2]
    if mode > 1 then
      if args[2] > 1 and not define_returns then
        define_returns = function()
          --include returns
        end
      end
      if mode == SETTLE then
        if not settle then
          if not reply then reply = {now, nil, nil, nil, nil, nil, nil, nil} end
          if not states then states = {} end
          --include limits
          --include fast-settle
        end
        settle(k, limits[args[p + 3]])
      end
      break
    end
    local l = 7 * args[p + 3] - 3
    local kind = args[l]
    if args[p + 1] > 0 then
      if not reply then reply = {now, nil, nil, nil, nil, nil, nil, nil} end
      if not states then states = {} end
      if not charge then
        --include fast-plan
      end
      local parts, start, passes = args[p + 1], n, nil
      is_charged = mode == 1
      if parts <= MAX_PARTS then passes = charge(p + 2, 0, parts, 0) end -- bounds the depth of the recursion
      if passes == nil then n = start end
      break
    end
    if states and states[k] ~= nil then break end
    local key, permits, cost, times = KEYS[k], args[l + 1], args[p + 4], args[p + 5]
    if kind > FIXED then
      local remaining, reset
      if kind == SLOTS then
        --include fast-slot
      else
        if times ~= 1 or cost == 0 then break end -- the general path handles repetitions
        if kind == SLIDING then
          --include sliding-evaluate
          if mode == 1 then
            --include sliding-store
          end
        elseif kind == ROLLING then
          --include rolling-evaluate
          if mode == 1 then
            --include rolling-store
          end
        else
          break
        end
        pos = p + 6
      end
      if pos > size and not reply then
        --compact write_shared()
        -- Of a batch of one: an array of the numbers below, without a table. It takes half of the time of cmsgpack.
        return pack('>I2I8I2I8BI8B', 0x95cf, now, PASSED * 256 + 0xcf, remaining, 0xcf, reset, 0)
      end
      if not reply then reply = {now, nil, nil, nil, nil, nil, nil, nil} end
      reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = PASSED, remaining, reset, 0
      n = n + 4
      break
    end

    local stored_kind, first, second, third, fourth = kind, 0, 0, nil, nil
    local stored, mark = get_text(key), nil
    if stored then
      if #stored == 0 then break end -- an error: not a string
      stored_kind, first, second, third, fourth = decode(stored)
      if stored_kind ~= kind then break end
    end
    if kind == BUCKET then
      local available, refill_time, price = args[l + 3], args[l + 5], cost * args[l + 2]
      if stored and (third ~= refill_time or second >= permits) then break end
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
        local previous_slack, previous_expiry = second, fourth
        debt = debt - slack
        slack = -debt % permits
        empty_at = empty_at + (debt + slack) / permits
        --include store-bucket
      end
    else
      if stored and (third ~= permits or fourth ~= args[l + 2]) then break end
      if now >= first then
        local length = args[l + 3]
        if length == 0 then break end -- the general path handles calendar windows
        first, second = now - now % length + length, 0
      end
      local admitted = cost * times
      if admitted > permits - second then admitted = permits - second - (permits - second) % cost end
      if admitted > 0 and mode == 1 then
        local window_end, count = first, second + admitted
        if second == 0 then stored = nil end -- an empty window was stored with an earlier expiry
        --include store-fixed
      end
    end
    pos = p + 6
    if pos > size and not reply and second < 128 and times < 126 then
      --compact write_shared()
      -- Of a batch of one, as above.
      return pack('>I2I8I2I8B', 0x94cf, now, (STORED_STATE + times) * 256 + 0xcf, first, second)
    end
    if not reply then reply = {now, nil, nil, nil, nil, nil, nil, nil} end
    reply[n + 1], reply[n + 2], reply[n + 3] = STORED_STATE + times, first, second
    n = n + 3
  until true
  if pos == p then
    if not execute then
      --include general-path
    end
    execute()
  end
end
if store_states then store_states() end
--compact write_shared()
return cmsgpack.pack(reply or {now})
