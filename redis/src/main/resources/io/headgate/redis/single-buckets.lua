-- The short way, for what most batches are made of: plans of one bucket. Without the tables and functions of
-- the long way, whose making takes longer than a decision does: a batch of one takes 10 µs this way and 15 µs
-- the other.

-- The arithmetic of token and leaky bucket. Mirrors Bucket.java; TokenBucket.java explains it, and bucket.lua
-- what a limit and a state are.
local function bucket(limit, cost, empty_at, slack)
  local permits, period, units = limit[2], limit[3], limit[4]
  local wait = max(0, empty_at - now)
  local owed = 0
  if wait > limit[6] then
    owed = units -- neither a clock that stepped back nor what was spent elsewhere makes it more than everything
  elseif wait > 0 then
    owed = wait * permits - slack
  end
  if cost == 0 then return PASSED, floor(max(0, units - owed) / period), wait, 0 end
  if cost > limit[5] then return NEVER, floor(max(0, units - owed) / period), wait, 0 end
  local price = cost * period
  if owed > units - price then
    local fits_at = empty_at - floor((units - price + slack) / permits)
    return REFUSED, floor(max(0, units - owed) / period), wait, fits_at - now
  end
  local due = wait == 0 and price or price - slack
  local repaid_in = ceil(due / permits)
  local left = floor(max(0, units - owed - price) / period)
  local delay = limit[7] == 1 and wait or 0
  return PASSED, left, wait + repaid_in, delay, now + wait + repaid_in, repaid_in * permits - due
end

-- Decides the plans from `at` on, up to the first that takes the long way.
local function single_buckets()
  while at <= #args do
    local mode, k, limit = args[at], args[at + 2], limits[args[at + 3]]
    if mode > 1 or args[at + 1] > 0 or limit[1] ~= BUCKET or states[k] ~= nil then return end
    local key, cost, drain, empty_at, slack, taken = KEYS[k], args[at + 4], limit[6], 0, 0, false
    local text = redis.pcall('GET', key)
    if text then
      if type(text) ~= 'string' then return end
      local kind, its_drain
      kind, empty_at, slack, its_drain = cmsgpack.unpack(text)
      if kind ~= BUCKET or its_drain ~= drain or slack >= limit[2] then return end
    end
    for _ = 1, args[at + 5] do
      local kind, remaining, reset, wait, next_at, next_slack = bucket(limit, cost, empty_at, slack)
      say(kind, remaining, reset, wait)
      if next_at then empty_at, slack, taken = next_at, next_slack, true end
    end
    if taken and mode == 1 then
      text = cmsgpack.pack(BUCKET, empty_at, slack, drain)
      if expires then
        call('SET', key, text, 'PX', ttl(empty_at))
      else
        call('SET', key, text)
      end
    end
    at = at + 6
  end
end

single_buckets()
if at > #args then return cmsgpack.pack(said) end

-- The long way. A state is a table that begins with its algorithm. adopt gives the state in a limit's own
-- terms, and whether that must be kept; step gives what the limit says, and the state to keep if that is
-- charged. give_back undoes a charge: its plan was refused in another slot.
local adopt, step, fresh_at, append, alter, give_back, known, several = {}, {}, {}, {}, {}, {}, nil, nil
local held -- the functions of held.lua, once something is held
local changed = {} -- states to be written when the batch is done
