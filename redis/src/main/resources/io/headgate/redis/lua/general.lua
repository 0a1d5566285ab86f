-- The long way, for everything else. A state is a table that begins with its algorithm. adopt gives the state in a
-- limit's own terms, and whether that must be kept; step gives what the limit says, and the state to keep if that
-- is charged. give_back undoes a charge whose plan was refused in another slot, given when it was
-- made and when the counter would have been fresh, seen from then: it must not return permits that time has returned.
-- It returns the state to keep, or nil where there is nothing to change.

local PASSED, REFUSED, NEVER = 0, 1, 2
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local adopt, step, fresh_at, append, alter, give_back, known, several = {}, {}, {}, {}, {}, {}, nil, nil
local held -- the functions of held-state.lua, once something is held
local changed = {} -- states to be written when the batch is done
local sizes, tills = {}, {} -- by index of KEYS: the text that was read, and when it will be forgotten (s)

local has_several, uses = args[2] == 1, {}
for _, limit in ipairs(limits) do uses[limit[1]] = true end

local function say(kind, remaining, reset, wait)
  said[n + 1], said[n + 2], said[n + 3], said[n + 4] = kind, remaining, reset, wait
  n = n + 4
end

-- Removes at most this many expired members of a sorted set at a time: more than a charge adds, so that they do not
-- pile up, and few enough that no charge pays for the whole of a window that has passed.
local MOST_PURGED = 1000

-- The member of rank 0 is the signature. Members that are left here are below every range that is read.
local function purge(key, expired)
  call('ZREMRANGEBYRANK', key, 1, min(expired, MOST_PURGED)) -- nothing, where none has expired
end

-- Of a key that is not a text (ms).
local function ttl(fresh)
  return max(1, ceil((fresh - now) / 1000)) + 3000
end
