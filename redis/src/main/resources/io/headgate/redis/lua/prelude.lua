-- Evaluates a batch of commands atomically, one after the other. The script is prelude.lua and fast-path.lua, with the
-- files that they include (see Script.java). Its text does not depend on the rules. Parts that a batch does not need are
-- skipped. Mirrors Plan.step and the limits that it calls. Every number is an integer that a double represents exactly.
--
--   KEYS      the keys of the counters of the batch, each once
--   ARGV[1]   one MessagePack array, with a length of 4 bytes: now (µs; -1 for this server's clock), the sum of 1 if there
--             are plans of several charges and 2 if there are reservations or charges to give back, the number of limits,
--             the limits (seven numbers each: the algorithm and the parameters that its file describes), then the commands
--             (see plan.lua)
--   returns   one MessagePack array: now (µs), then the replies of the commands in order; or -now alone, with nothing
--             executed, if now is outside the window ends that were sent for a calendar window. The client's clock
--             differs from the server's then, and the client sends the batch again with the ends around now

-- Constants of this file are inlined in all files (see Script.java), since each local that functions share costs every run.

local BUCKET, FIXED, SLIDING, ROLLING, SLOTS, HELD, FAIR = 1, 2, 3, 4, 5, 6, 7
local PASSED_BESIDE_HOLDS, PASSED, REFUSED, EXCEEDS = -1, 0, 1, 2
local STORED_STATE = 2 -- plus the number of requests that a stored state answers; lower values are outcomes
local ALL, WORD = 0, 4294967296
local DECIDE, RENEW, RELEASE, GIVE_BACK, HOLD, REPORT, RELEASE_AFTER, RESERVATION, RESETTING, SETTLE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local MAX_PARTS, MAX_CHARGES = 256, 16 -- of a plan on the fast path, and of one of its parts
local KEPT = 600000000 -- how long the record of a reservation is kept after its expiry (µs)
-- Of sorted sets: charges within RENEWED µs of each other need one expiry; expired members are removed once in
-- REMOVED_EVERY permits, at most MAX_REMOVED at a time.
local RENEWED, REMOVED_EVERY, MAX_REMOVED = 2000000, 8, 1000
-- Of packed windows; see packed-window.lua.
local HEADER, HEAD, KIND, USED_TYPE, PERMITS_TYPE = '>I2I8I5I6I2I6I3I2', 34, 0x02cf, 0xce00000000, 0xce00000000da
local ENTRY, SIZE, FIELDS, SHORTEST, FEW = '>I6I3', 9, 11, 43, 16
local TIMES, TOTALS, WIDEST, MOST = 281474976710656, 16777216, 1099511627776, 256
-- Of compact-texts.lua: the longest text in a shared key (bytes), the highest index of a state in its list, and the expiry
-- of a state that has none (s).
local MAX_SHARED, LAST_SHARED, NO_EXPIRY = 256, 94, 4294967295

local KEYS, call, pcall, argument = KEYS, redis.call, redis.pcall, ARGV[1] -- a local is faster than a global
local pack, decode = struct.pack, cmsgpack.unpack
local home_ready_at -- set by home-guard.lua

-- The array is read without its header: its elements, as results of a function, take 0.6 of the time. Lua's stack has room
-- for 8,000.
local args = #argument < 7000 and {decode(argument:sub(6))} or decode(argument)
local now = args[1]
local sets_expiry = now < 0 -- false in tests with a manual clock, whose time cannot be used for expiry
if sets_expiry then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

local pos = 4
for _ = 1, args[3] do
  if args[pos] == FIXED and args[pos + 3] == 0 and (now < args[pos + 4] or now >= args[pos + 6]) then
    return cmsgpack.pack({-now})
  end
  pos = pos + 7
end
