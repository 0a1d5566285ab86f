-- Evaluates a charge of a rolling window (see rolling-window.lua and packed-window.lua) on the fast path, as
-- sliding-evaluate.lua does.

local window, interval, time, used, last, first, total, count = args[l + 2], args[l + 3], now, 0, nil, 1, 0, 0
local stored, has_expired = window <= WIDEST and get_text(key), false
local is_packed = window <= WIDEST and (not stored or #stored > 0)
if is_packed then
  if stored then
    if #stored < SHORTEST then break end
    local tag, ends_at, tagged_used, tagged_permits, stored_window, totals, oldest =
      struct.unpack('>I2I8I5I6xxI6I5I6', stored)
    if tag ~= KIND or tagged_permits ~= PERMITS_TYPE + permits * 256 or stored_window ~= window then break end
    count = totals % 65536
    if count >= MOST then break end
    last, total = ends_at - window, (totals - count) / 65536
    if last > time then time = last end -- the clock stepped back; keep the order
    if ends_at <= time then
      stored = false -- all have expired
    else
      if ends_at - (last - oldest) % TIMES > time then
        used = tagged_used - USED_TYPE
      else
        -- Finds the first request that has not expired, often the second, and the total before it.
        local low, high = 2, count
        local total_before, at = struct.unpack('>I3I6', stored, HEAD + 7)
        if ends_at - (last - at) % TIMES <= time then
          low = 3
          while low < high do
            local middle = low + high
            middle = (middle - middle % 2) / 2
            at = struct.unpack('>I6', stored, HEAD + 1 + (middle - 1) * SIZE)
            if ends_at - (last - at) % TIMES <= time then low = middle + 1 else high = middle end
          end
          total_before = struct.unpack('>I3', stored, HEAD + 7 + (low - 2) * SIZE)
        end
        first, used = low, (total - total_before) % TOTALS
      end
    end
  end
else
  -- A sorted set: of many requests, or written by an earlier version. See rolling-window.lua.
  local head = pcall('ZRANGE', key, 0, 1, 'WITHSCORES')
  if head.err then break end
  if l ~= text_limit then text_limit, limit_text = l, string.format('R%.0f:%.0f', window, permits) end
  if head[1] ~= limit_text or not head[3] then break end
  local function total_of(member)
    local number = tonumber(member)
    if number then return number, 1 end
    local colon = member:find(':', 1, true)
    return tonumber(member:sub(1, colon - 1)), tonumber(member:sub(colon + 1))
  end
  local latest = call('ZREVRANGE', key, 0, 0, 'WITHSCORES')
  last, total = tonumber(latest[2]), total_of(latest[1])
  if last > time then time = last end
  if last + window <= time then break end -- the general path packs it again
  local oldest = head[3]
  has_expired = tonumber(head[4]) <= time - window
  if has_expired then oldest = call('ZRANGEBYSCORE', key, time - window + 1, '+inf', 'LIMIT', 0, 1)[1] end
  local first_total, first_cost = total_of(oldest)
  used = total - first_total + first_cost
end
if cost > permits - used or interval > 0 and used > 0 and time < last + interval then break end
remaining, reset = interval > 0 and 0 or permits - used - cost, time + window - now
