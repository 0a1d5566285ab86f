-- Decides a batch of plans, atomically and one after the other. This text is begin.lua, single-buckets.lua,
-- share.lua, one file for each algorithm, held.lua, states.lua, several.lua and plan.lua, in that order, and
-- never changes with a rule; a part that a batch does not use is skipped.
-- Mirrors Plan.step, and the limits it calls; every number is an integer that a double holds exactly.
--
--   KEYS      the keys of the counters that the batch touches, each once
--   ARGV[1]   one MessagePack array of numbers: now (-1: this server's clock), whether there are plans of
--             several charges 0|1, how many limits, the limits (seven numbers each: the algorithm, and
--             what its file says), then the plans (plan.lua says how)
--   returns   one MessagePack array: what each limit of each plan said, in order

local BUCKET, FIXED, SLIDING, ROLLING, SLOTS, HELD = 1, 2, 3, 4, 5, 6
local PASSED, REFUSED, NEVER = 0, 1, 2
local floor, ceil, max, min, call = math.floor, math.ceil, math.max, math.min, redis.call

local args = cmsgpack.unpack(ARGV[1])
local now = args[1]
local expires = now < 0 -- a clock that a test turns by hand says nothing about when to forget
if expires then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

local has_several = args[2] == 1
local limits, uses, at = {}, {}, 4
for l = 1, args[3] do
  limits[l] = {args[at], args[at + 1], args[at + 2], args[at + 3], args[at + 4], args[at + 5], args[at + 6]}
  uses[args[at]] = true
  at = at + 7
end

local states = {} -- by index of KEYS; false: nothing is kept there; nil: not read yet
local said, n = {}, 0 -- what is answered

local function say(kind, remaining, reset, wait)
  said[n + 1], said[n + 2], said[n + 3], said[n + 4] = kind, remaining, reset, wait
  n = n + 4
end

-- A key that vanishes between two requests and comes again costs more than one that stays a little.
local GRACE = 3000
local function ttl(fresh)
  return max(1, ceil((fresh - now) / 1000)) + GRACE
end
