-- Writes `empty_at` and `slack` of a bucket that had the text `stored`, or none. `mark` is that of fast-settle.lua, if
-- any. If the expiry is still suitable and the layout is the one below, only empty_at and slack change, and the mark if
-- another is given: a change of the expiry takes a third of the time of a decision.
local expiry, spare = previous_expiry, (empty_at - now) / 4 -- the spare time of expiry_for, in general.lua
if spare < 3000000 then spare = 3000000 end
if expiry then
  local margin = expiry * 1000000 - empty_at
  if margin < 0 or margin > 2 * spare then expiry = nil end
end
if expiry and #stored == 25 and slack < 128 and previous_slack < 128 then
  if mark then
    set_range(key, '1', pack('>BI8B', mark, empty_at, slack))
  else
    set_range(key, '2', pack('>I8B', empty_at, slack))
  end
else
  if not expiry then
    local seconds = (empty_at + spare) / 1000000
    expiry = seconds + -seconds % 1 -- rounded up
  end
  local text
  if slack < 128 and expiry < WORD then
    -- By struct where possible: the bytes are the same in a third of the time, since cmsgpack formats each number as text first.
    mark = mark or stored and stored:byte(2) == 0xd3 and 0xd3 or 0xcf
    text = pack('>BBI8BBI8BI4', BUCKET, mark, empty_at, slack, 0xcf, refill_time, 0xce, expiry)
  else
    text = cmsgpack.pack(BUCKET, empty_at, slack, refill_time, expiry)
  end
  --layout set
end
