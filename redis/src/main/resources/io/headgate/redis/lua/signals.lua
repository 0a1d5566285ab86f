-- Applies a report of the load of a backend, or reads the load. Mirrors ShedController; every operation is one on
-- doubles in the same order, so that both compute the same numbers.
--
--   KEYS[1]   the state, a MessagePack array: drop, error, trend, time of the last report (µs), seed, then for each
--             instance of the backend its id, value, weight and time of report
--   ARGV      now (µs; -1 for this server's clock); to report also target, ceiling, reporter, value, weight, seed and
--             the time after which a state without reports expires (ms)
--   returns   drop, combined value, number of instances, time of the last report, now and seed, separated by spaces;
--             an empty text if there was no report

local MIN_DROP, MAX_DROP, LOW = -28.0 / 120.0, 0.95, 0.875
local HOLD, FADE, MAX_REPORTERS = 5000000, 10000000, 64
local PROPORTIONAL, NEAR_SECONDS, FAR_SECONDS, TREND_SECONDS, MAX_STEP_SECONDS = 0.05, 40, 20, 5, 2
local MIN_RISING_GAIN, MIN_FALLING_GAIN, SPENDING = 0.05, 0.2, 4
local MIN_WEIGHT, MAX_WEIGHT, HUGE = 0.001, 1000000, 1.7976931348623157e308
local max, min, abs = math.max, math.min, math.abs

local now = tonumber(ARGV[1])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end

local text = redis.call('GET', KEYS[1])
local state = text and cmsgpack.unpack(text) or {MIN_DROP, 0, 0, 0, 0}

-- Returns the weighted mean of the reports, robust against one wrong report.
local function combined(s)
  local count = (#s - 5) / 4
  local sum = 0
  for i = 6, #s, 4 do sum = sum + s[i + 2] end
  local highest, lowest = 6, 6
  for i = 10, #s, 4 do
    if s[i + 1] > s[highest + 1] then highest = i end
    if s[i + 1] < s[lowest + 1] then lowest = i end
  end
  local top, bottom = 0, HUGE
  for i = 6, #s, 4 do
    if i ~= highest then top = max(top, s[i + 1]) end
    if i ~= lowest then bottom = min(bottom, s[i + 1]) end
  end
  local total, weighted = 0, 0
  for i = 6, #s, 4 do
    local value, weight = s[i + 1], s[i + 2]
    if count > 1 then weight = min(weight, 2 * (sum - weight) / (count - 1)) end
    if count > 2 then value = min(max(value, bottom), top) end
    total = total + weight
    weighted = weighted + weight * value
  end
  return weighted / total
end

local function level(drop, at, time)
  local stale = max(0, (time - at) - HOLD)
  return max(0, drop) * max(0, 1 - stale / FADE)
end

-- Adds the report, or replaces the earlier one of the same instance. Removes reports that no longer count.
local function merged(s, reporter, value, weight, at)
  local result, known = {0, 0, 0, 0, 0}, false
  for i = 6, #s, 4 do
    local n = #result
    if s[i] == reporter then
      result[n + 1], result[n + 2], result[n + 3], result[n + 4] = reporter, value, weight, at
      known = true
    elseif at - s[i + 3] <= HOLD then
      result[n + 1], result[n + 2], result[n + 3], result[n + 4] = s[i], s[i + 1], s[i + 2], s[i + 3]
    end
  end
  if known then return result end
  local n = #result
  if n >= 5 + 4 * MAX_REPORTERS then n = 5 + 4 * (reporter % MAX_REPORTERS) end
  result[n + 1], result[n + 2], result[n + 3], result[n + 4] = reporter, value, weight, at
  return result
end

if ARGV[2] then
  local target, ceiling, reporter = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
  local value, weight = tonumber(ARGV[5]), tonumber(ARGV[6])
  if value and weight and value >= 0 and value <= HUGE and weight >= 0 and weight <= HUGE then
    local at = max(now, state[4])
    local next = merged(state, reporter, min(value, ceiling), min(max(weight, MIN_WEIGHT), MAX_WEIGHT), at)
    local mean = combined(next)
    local low = target * LOW
    local excess = 0
    if mean > target then
      excess = min(1, (mean - target) / (ceiling - target))
    elseif mean < low then
      excess = mean / low - 1
    end
    local err = max(-1, min(1, (mean - target) / (ceiling - target)))
    local age = at - state[4]
    local stale = age > HOLD
    local seconds = stale and 0 or min(age / 1000000, MAX_STEP_SECONDS)
    local trend = stale and 0 or state[3]
    trend = trend + (excess - trend) * (seconds / TREND_SECONDS)
    local rate = err / NEAR_SECONDS + trend * abs(trend) / FAR_SECONDS
    local drop = state[1]
    if drop > 0 then drop = level(drop, state[4], at) end
    if drop < 0 and rate > 0 then rate = rate * SPENDING end
    local admitted = 1 - max(0, drop)
    local gain = max(admitted, rate < 0 and MIN_FALLING_GAIN or MIN_RISING_GAIN)
    local change = stale and 0 or err - state[2]
    next[1] = min(max(drop + gain * (PROPORTIONAL * change + rate * seconds), MIN_DROP), MAX_DROP)
    next[2] = err
    next[3] = trend
    next[4] = at
    next[5] = state[4] == 0 and tonumber(ARGV[7]) or state[5]
    state = next
    redis.call('SET', KEYS[1], cmsgpack.pack(state), 'PX', ARGV[8])
  end
end

if state[4] == 0 then return '' end
return string.format(
  '%.17g %.17g %d %.0f %.0f %.0f', state[1], combined(state), (#state - 5) / 4, state[4], now, state[5])
