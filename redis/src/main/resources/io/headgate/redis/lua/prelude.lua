-- Evaluates a batch of commands atomically, one after the other. The script is composed of prelude.lua, fast-plan.lua,
-- fast-slot.lua, returns.lua, fast-settle.lua, fast-path.lua, packed-window.lua, general.lua, utilization.lua, one file per
-- algorithm, held-state.lua, states.lua, reservation.lua, multi.lua and plan.lua, in that order. Its text does not depend on the rules. Parts that a batch does not need are skipped.
-- Mirrors Plan.step and the limits that it calls. Every number is an integer that a double represents exactly.
--
--   KEYS      the keys of the counters of the batch, each once
--   ARGV[1]   one MessagePack array: now (µs; -1 for this server's clock), the sum of 1 if there are plans of several
--             charges and 2 if there are reservations or charges to give back, the number of limits, the limits (seven numbers each: the algorithm and the parameters
--             that its file describes), then the commands (see plan.lua)
--   returns   one MessagePack array: now (µs), then the replies of the commands in order; or -now alone, with nothing
--             executed, if now is outside the window ends that were sent for a calendar window. The client's clock
--             differs from the server's then, and the client sends the batch again with the ends around now

-- Constants of this file are inlined in all files (see Script.java), since each local that functions share costs every run.

local BUCKET, FIXED, SLIDING, ROLLING, SLOTS, HELD, FAIR = 1, 2, 3, 4, 5, 6, 7
local PASSED_BESIDE_HOLDS, PASSED, REFUSED, EXCEEDS = -1, 0, 1, 2
local STORED_STATE = 2 -- plus the number of requests that a stored state answers; lower values are outcomes
local ALL, WORD = 0, 4294967296
local MAX_PARTS, MAX_CHARGES = 256, 16 -- of a plan on the fast path, and of one of its parts
local KEPT = 600000000 -- how long the record of a reservation is kept after its expiry (µs)
-- Of sorted sets: charges within RENEWED µs of each other need one expiry; expired members are removed once in
-- REMOVED_EVERY permits, at most MAX_REMOVED at a time.
local RENEWED, REMOVED_EVERY, MAX_REMOVED = 2000000, 8, 1000
-- Of packed windows; see packed-window.lua.
local HEADER, HEAD, KIND, USED_TYPE, PERMITS_TYPE = '>I2I8I5I6I2I6I3I2', 34, 0x02cf, 0xce00000000, 0xce00000000da
local ENTRY, SIZE, FIELDS, SHORTEST, FEW = '>I6I3', 9, 11, 43, 16
local TIMES, TOTALS, WIDEST, MOST = 281474976710656, 16777216, 1099511627776, 256

local KEYS, call, pcall = KEYS, redis.call, redis.pcall -- a local is faster than a global
local pack, unpack_struct, decode, char, format = struct.pack, struct.unpack, cmsgpack.unpack, string.char, string.format
local home_ready_at -- set by home-guard.lua

-- An array with a length of 4 bytes is read without this header: its elements, as results of a function, take 0.6 of the
-- time. Lua's stack has room for 8,000.
local args = #ARGV[1] < 7000 and ARGV[1]:byte() == 0xdd and {decode(ARGV[1]:sub(6))} or decode(ARGV[1])
local now = args[1]
local sets_expiry = now < 0 -- false in tests with a manual clock, whose time cannot be used for expiry
if sets_expiry then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

local limits, pos, has_rolling, has_sliding, has_slots = {}, 4, false, false, false
for l = 1, args[3] do
  limits[l] = {
    args[pos], args[pos + 1], args[pos + 2], args[pos + 3], args[pos + 4], args[pos + 5], args[pos + 6],
    false, -- a text that depends on the limit only, once it is needed
  }
  if args[pos] == FIXED and args[pos + 3] == 0 and (now < args[pos + 4] or now >= args[pos + 6]) then
    return cmsgpack.pack({-now})
  end
  local kind = args[pos]
  has_rolling, has_sliding = has_rolling or kind == ROLLING, has_sliding or kind == SLIDING
  has_slots = has_slots or kind == SLOTS
  pos = pos + 7
end

local states = {} -- by index of KEYS; false: no key; nil: not read yet
local reply, n = {now}, 1 -- the reply and its length

-- Returns the expiry (s) of a state that is fresh from `fresh` on (µs): `spare` µs after that, at least 3 s, since a
-- key that expires between two requests and is created again costs more than one that stays a little longer. Returns
-- the previous expiry if it is still suitable, since changing it takes a third of the time of a decision.
local function expiry_for(fresh, spare, previous)
  if fresh < now then fresh = now end
  if spare < 3000000 then spare = 3000000 end
  if previous then
    local margin = previous * 1000000 - fresh
    if margin >= 0 and margin <= 2 * spare then return previous end
  end
  return math.ceil((fresh + spare) / 1000000)
end

-- Writes a text with its expiry (s). The number is formatted here, since redis.call formats numbers as floating point, and
-- in ms, since Redis would otherwise rewrite the command in ms for its replicas.
local function set(key, text, expiry)
  if sets_expiry then
    call('SET', key, text, 'PXAT', format('%d000', expiry))
  else
    call('SET', key, text)
  end
end

-- Encodes the state of a bucket with its expiry. Uses struct where possible: the bytes are the same in a third of the
-- time, since cmsgpack formats each number as text first. `mark` is that of fast-settle.lua, if any.
local function encode_bucket(empty_at, slack, refill_time, expiry, mark)
  if slack < 128 and expiry < 4294967296 then
    return pack('>BBI8BBI8BI4', BUCKET, mark or 0xcf, empty_at, slack, 0xcf, refill_time, 0xce, expiry)
  end
  return cmsgpack.pack(BUCKET, empty_at, slack, refill_time, expiry)
end

-- Encodes the state of a fixed window, as encode_bucket does.
local function encode_fixed(window_end, count, limit)
  local suffix = limit[8] or cmsgpack.pack(limit[2], limit[3])
  limit[8] = suffix
  if count < 128 then return pack('>BBI8B', FIXED, 0xcf, window_end, count) .. suffix end
  if count < 4294967296 then return pack('>BBI8BI4', FIXED, 0xcf, window_end, 0xce, count) .. suffix end
  return cmsgpack.pack(FIXED, window_end, count, limit[2], limit[3])
end

-- Writes the state of a bucket that had the text `stored`, or none. If the expiry is still suitable and the layout is that
-- of encode_bucket, only empty_at and slack change, and the mark of fast-settle.lua if another is given.
local function store_bucket(key, empty_at, slack, refill_time, stored, previous_slack, previous_expiry, mark)
  if previous_expiry and #stored == 25 and slack < 128 and previous_slack < 128 then
    local margin, spare = previous_expiry * 1000000 - empty_at, (empty_at - now) / 2
    if margin >= 0 and (margin <= 6000000 or margin <= spare) then
      if mark then
        call('SETRANGE', key, '1', pack('>BI8B', mark, empty_at, slack))
      else
        call('SETRANGE', key, '2', pack('>I8B', empty_at, slack))
      end
      return
    end
  end
  local expiry = expiry_for(empty_at, (empty_at - now) / 4, previous_expiry)
  mark = mark or stored and stored:byte(2) == 0xd3 and 0xd3
  set(key, encode_bucket(empty_at, slack, refill_time, expiry, mark), expiry)
end

-- Writes the state of a fixed window. `stored` is the text before if its expiry is that of this window, and if the count is
-- not below 128 for the first time. Then only the count changes: one byte, or four after their type; or also the mark.
local function store_fixed(key, window_end, count, limit, stored, mark)
  if stored and window_end >= 4294967296 then
    if mark and (count < 128 or count < 4294967296 and stored:byte(11) == 0xce) then
      local layout = count < 128 and '>BI8B' or '>BI8BI4'
      call('SETRANGE', key, '1', pack(layout, mark, window_end, count < 128 and count or 0xce, count))
      return
    elseif count < 128 then
      call('SETRANGE', key, '10', char(count))
      return
    elseif count < 4294967296 and stored:byte(11) == 0xce then
      call('SETRANGE', key, '11', pack('>I4', count))
      return
    end
  end
  set(key, encode_fixed(window_end, count, limit), expiry_for(window_end, 0))
end
