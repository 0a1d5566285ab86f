-- The controller of adaptive concurrency limits: a pure function on an array of numbers. Mirrors ControllerLaw.java,
-- which explains the arithmetic; each operation on numbers is the same and in the same order.
--
--   state     ControllerState.SIZE numbers, of which the first is the limit; changed in place
--   lowest, highest    the bounds of the limit
--   time      now (µs)
--   duration  of the call that completed (µs), 0 to one hour
--   in_flight the number of calls in flight at completion, the call included
--   outcome   0 success, 1 error, 2 dropped: the order of CallOutcome

local complete_call
do
  local LIMIT, TARGET, BASE, LAST, SINCE, COUNT, SUM, SQUARES, DROPS, DROP_TIME = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  local PEAK, IN_FLIGHT, COUNTDOWN, INTERVAL, HIGH, HIGH_LATENCY = 11, 12, 13, 14, 15, 16
  local VARIATION, IS_SETTLED, SLOW_WINDOWS = 17, 18, 19
  local SUCCESS, ERROR_OUTCOME = 0, 1

  local MIN_SAMPLES, MIN_PER_LIMIT, MAX_PER_LIMIT, ERROR, CLIP = 8, 1.5, 13, 0.5, 12
  local QUEUE, MIN_QUEUE, MAX_DECREASE, UNLOADED = 1.7, 2, 0.7, 0.65
  local FIRST_INTERVAL, MAX_INTERVAL, MAX_FALL, MAX_RISE = 6, 60, 0.85, 1.15
  local DEPTH, SMALL, SLOW = 2.5, 3, 0.5
  local MAX_PAUSE, MAX_STEP_BACK, MAX_SETTLING = 60e6, 1e6, 10e6

  local abs, floor, max, min, sqrt = math.abs, math.floor, math.max, math.min, math.sqrt

  local function depth(target)
    return max(0.5, min(0.95, 1 - DEPTH / sqrt(target)))
  end

  local function clear(s, since)
    s[SINCE] = since
    for i = COUNT, IN_FLIGHT do s[i] = 0 end
  end

  local function enough(s)
    if s[IS_SETTLED] == 0 then return max(MIN_SAMPLES, s[TARGET]) end
    local wanted = min(MAX_PER_LIMIT, s[VARIATION] / (ERROR * ERROR))
    return max(2 * MIN_SAMPLES, max(MIN_PER_LIMIT, wanted) * s[TARGET])
  end

  local function is_complete(s, time)
    local total = s[COUNT] + s[DROPS]
    if total < MIN_SAMPLES then return false end
    if s[DROPS] > s[COUNT] then return time - s[SINCE] >= s[BASE] end
    if total < enough(s) then return false end
    return (time - s[SINCE]) * s[COUNT] >= s[SUM]
  end

  local function raise(s, low_latency, low, high_latency, high)
    if low_latency <= s[BASE] then return end
    local growth = max(0, (high_latency / low_latency - 1) / (high / low - 1))
    local weight = 0.5 * max(0, 1 - growth / 0.8)
    s[BASE] = min(2 * s[BASE], s[BASE] + weight * (low_latency - s[BASE]))
  end

  local function compare(s, latency, in_flight)
    if latency < s[BASE] then s[BASE] = s[BASE] + 0.07 * (latency - s[BASE]) end
    local high = s[HIGH]
    if high > 0 and in_flight * 1.6 < high then
      raise(s, latency, in_flight, s[HIGH_LATENCY], high)
    elseif high > 0 and in_flight > 1.6 * high then
      raise(s, s[HIGH_LATENCY], high, latency, in_flight)
    elseif high > 0 then
      s[HIGH] = s[HIGH] + 0.3 * (in_flight - high)
      s[HIGH_LATENCY] = s[HIGH_LATENCY] + 0.3 * (min(latency, 1.3 * s[HIGH_LATENCY]) - s[HIGH_LATENCY])
      return
    end
    s[HIGH], s[HIGH_LATENCY] = in_flight, latency
  end

  local function overloaded(s)
    local useful = s[SUM] / max(1, s[SUM] + s[DROP_TIME])
    s[TARGET] = min(s[TARGET], s[PEAK]) * max(0.5, min(0.95, useful))
    s[COUNTDOWN], s[HIGH] = s[INTERVAL], 0
    s[IS_SETTLED] = useful < 0.5 and 0 or 1
  end

  local function follow(s, latency, in_flight)
    local target = s[TARGET]
    if s[BASE] == 0 then s[BASE] = latency end
    if in_flight < 0.5 * target then
      s[BASE] = s[BASE] + 0.2 * (latency - s[BASE])
      s[HIGH] = 0
      return
    end
    compare(s, latency, in_flight)
    local ratio = min(1, s[BASE] / latency)
    local queue = max(MIN_QUEUE, QUEUE * sqrt(target))
    local following = max(MAX_DECREASE * target, target * ratio + queue)
    if s[IS_SETTLED] == 0 then
      if ratio > UNLOADED then
        following = max(following, 2 * target)
      else
        s[IS_SETTLED], s[COUNTDOWN] = 1, 1
      end
    end
    if following < target or s[PEAK] >= 0.9 * s[LIMIT] then s[TARGET] = following end
    if s[IS_SETTLED] == 0 then return end
    local is_slow = ratio * s[TARGET] < SLOW * (s[TARGET] - queue)
    s[SLOW_WINDOWS] = is_slow and s[SLOW_WINDOWS] + 1 or 0
    s[COUNTDOWN] = s[COUNTDOWN] - 1
    if s[SLOW_WINDOWS] >= 2 or s[COUNTDOWN] <= 0 then s[COUNTDOWN], s[SLOW_WINDOWS] = -1, 0 end
  end

  local function probed(s, latency, in_flight)
    local target, base = s[TARGET], s[BASE]
    s[COUNTDOWN] = s[INTERVAL]
    if s[HIGH] <= 1.1 * in_flight then return end
    local throughput = in_flight * s[HIGH_LATENCY] / (latency * s[HIGH])
    local expected = depth(target) * (1 + QUEUE / sqrt(target))
    if target > SMALL and throughput > 1 - 0.5 * (1 - expected) then
      s[TARGET] = target * depth(target)
      local queued = max(0.85, 1 - 0.7 * QUEUE / sqrt(s[TARGET]))
      s[BASE] = min(base, latency * queued)
      s[HIGH], s[HIGH_LATENCY], s[INTERVAL] = in_flight, latency, FIRST_INTERVAL
      s[COUNTDOWN] = s[TARGET] > SMALL and -1 or FIRST_INTERVAL
      return
    end
    if latency < base then
      s[BASE] = s[BASE] + 0.5 * (latency - base)
    else
      raise(s, latency, in_flight, s[HIGH_LATENCY], s[HIGH])
    end
    local is_confirmed = s[BASE] >= MAX_FALL * base and s[BASE] <= MAX_RISE * base
    s[INTERVAL] = is_confirmed and min(MAX_INTERVAL, 2 * s[INTERVAL]) or FIRST_INTERVAL
    s[COUNTDOWN] = s[INTERVAL]
  end

  local function close(s, lowest, highest, time)
    local total = s[COUNT] + s[DROPS]
    local mean = min(MAX_SETTLING, (s[SUM] + s[DROP_TIME]) / total)
    if s[VARIATION] == 0 then
      s[VARIATION] = 1
      return clear(s, time + 2 * mean)
    end
    if s[COUNT] > 1 and s[SUM] > 0 then
      local variation = s[SQUARES] * s[COUNT] / (s[SUM] * s[SUM]) - 1
      s[VARIATION] = s[VARIATION] + 0.2 * (max(0.001, min(CLIP, variation)) - s[VARIATION])
    end
    local in_flight = s[IN_FLIGHT] / total
    if s[DROPS] > 0.1 * total then
      overloaded(s)
    elseif s[COUNTDOWN] < 0 then
      probed(s, max(1, s[SUM] / s[COUNT]), in_flight)
    else
      follow(s, max(1, s[SUM] / s[COUNT]), in_flight)
    end
    s[TARGET] = max(lowest, min(highest, s[TARGET]))
    if s[TARGET] == highest then s[IS_SETTLED] = 1 end
    local limit = s[COUNTDOWN] < 0 and s[TARGET] * depth(s[TARGET]) or s[TARGET]
    local is_changed = abs(limit - s[LIMIT]) > 0.05 * s[LIMIT]
    clear(s, is_changed and time + mean or time)
  end

  local function add(s, lowest, highest, time, duration, in_flight, outcome)
    if s[TARGET] == 0 then
      s[TARGET], s[COUNTDOWN], s[INTERVAL] = s[LIMIT], FIRST_INTERVAL, FIRST_INTERVAL
    end
    s[TARGET] = max(lowest, min(highest, s[TARGET]))
    if time - s[LAST] > MAX_PAUSE or s[LAST] - time > MAX_STEP_BACK then clear(s, time) end
    s[LAST] = time
    if time < s[SINCE] or outcome == ERROR_OUTCOME then return end
    if outcome == SUCCESS then
      if s[BASE] > 0 then duration = min(duration, CLIP * s[BASE]) end
      s[COUNT] = s[COUNT] + 1
      s[SUM] = s[SUM] + duration
      s[SQUARES] = s[SQUARES] + duration * duration
    else
      s[DROPS] = s[DROPS] + 1
      s[DROP_TIME] = s[DROP_TIME] + duration
    end
    s[PEAK] = max(s[PEAK], in_flight)
    s[IN_FLIGHT] = s[IN_FLIGHT] + in_flight
    if is_complete(s, time) then close(s, lowest, highest, time) end
  end

  complete_call = function(s, lowest, highest, time, duration, in_flight, outcome)
    add(s, lowest, highest, time, duration, in_flight, outcome)
    local limit = floor(s[COUNTDOWN] < 0 and s[TARGET] * depth(s[TARGET]) or s[TARGET])
    s[LIMIT] = max(lowest, min(highest, limit))
  end
end
