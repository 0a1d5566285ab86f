-- Plans of several charges: all of it passes and is charged, or nothing is. Mirrors Plan.java and
-- Combine.java. Where several charges are of one key (they are then of one limit too), each is asked together
-- with those before it that are made, and the last of these is the one to keep.
--
--   a part    how many charges, ALL, ANY or WEIGHTED, the share that must pass (thousandths), enforced 0|1,
--             then for each its charge and its weight

local ANY, WEIGHTED = 1, 2

-- When these limits let a request pass: 0 if now, math.huge if never.
local function retry_after(part)
  local first, last = math.huge, 0
  for _, c in ipairs(part) do
    first, last = min(first, c.passes_after), max(last, c.passes_after)
  end
  if part.combine == ANY then return first end
  if part.combine ~= WEIGHTED then return last end
  local earliest = math.huge
  for _, candidate in ipairs(part) do
    local time, whole, passing = candidate.passes_after, 0, 0
    for _, c in ipairs(part) do
      whole = whole + c.weight
      if c.passes_after <= time then passing = passing + c.weight end
    end
    if passing * 1000 >= whole * part.permille then earliest = min(earliest, time) end
  end
  return earliest
end

several = function(count, keep)
  local charges, allowed = {}, true
  local spent, last = {}, {} -- by key: what the parts so far come to, and the last charge made
  for p = 1, count do
    local part = {combine = args[at + 1], permille = args[at + 2], enforced = args[at + 3] == 1}
    local size = args[at]
    at = at + 4
    for i = 1, size do
      local c = {k = args[at], limit = limits[args[at + 1]], cost = args[at + 2], part = part}
      at = at + 3
      if c.limit[1] == SLOTS then
        c.holder = args[at]
        at = at + 1
      end
      c.weight = args[at]
      at = at + 1
      c.asked = c.cost + (spent[c.k] or 0)
      c.own = known(c.k, c.limit, keep)
      c.kind, c.remaining, c.reset, c.wait, c.next = step[c.own[1]](c.own, c.limit, c.k, c.asked, c.holder)
      c.passes_after = c.kind == PASSED and 0 or c.kind == REFUSED and c.wait or math.huge
      part[i] = c
      charges[#charges + 1] = c
    end
    part.passes = retry_after(part) == 0
    if part.enforced and not part.passes then allowed = false end
    for _, c in ipairs(part) do
      c.charged = part.passes and c.kind == PASSED and not (part.combine == ANY and part.spent)
      if c.charged then
        part.spent = true
        spent[c.k] = (spent[c.k] or 0) + c.cost
        last[c.k] = c
      end
    end
  end
  for _, c in ipairs(charges) do
    if allowed and c.charged then
      if keep and c.next and last[c.k] == c then charge(c.k, c.limit, c.next) end
    elseif c.kind == PASSED then
      local before = allowed and c.asked - c.cost or 0
      c.kind, c.remaining, c.reset, c.wait = step[c.own[1]](c.own, c.limit, c.k, before, c.holder)
    end
    say(c.kind, c.remaining, c.reset, c.kind == NEVER and c.asked or c.wait)
  end
end
