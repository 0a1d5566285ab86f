-- Plans of several charges, which pass and are charged as a whole or not at all. Mirrors Plan.java and Combine.java.
-- Several charges of one key (which then have the same limit) are evaluated cumulatively: each with the cost of the
-- earlier ones that are made. The state after the last of them is stored.
--
--   a part    the number of charges, ALL, ANY or WEIGHTED, the weight that must pass (in thousandths), enforced 0|1,
--             then each charge with its weight

local ANY, WEIGHTED = 1, 2

-- Returns after which time the part passes: 0 for now, math.huge for never.
local function retry_after(part)
  local first, last = math.huge, 0
  for _, c in ipairs(part) do
    first, last = min(first, c.passes_after), max(last, c.passes_after)
  end
  if part.combine == ANY then return first end
  if part.combine ~= WEIGHTED then return last end
  local earliest = math.huge
  for _, candidate in ipairs(part) do
    local time, weight_sum, passing = candidate.passes_after, 0, 0
    for _, c in ipairs(part) do
      weight_sum = weight_sum + c.weight
      if c.passes_after <= time then passing = passing + c.weight end
    end
    if passing * 1000 >= weight_sum * part.permille then earliest = min(earliest, time) end
  end
  return earliest
end

evaluate_multi = function(count, commit)
  local charges, allowed = {}, true
  local spent, last = {}, {} -- by key: the cost of the parts so far, and the last charge made
  for p = 1, count do
    local part = {combine = args[pos + 1], permille = args[pos + 2], enforced = args[pos + 3] == 1}
    local size = args[pos]
    pos = pos + 4
    for i = 1, size do
      local c = {k = args[pos], limit = limits[args[pos + 1]], cost = args[pos + 2], part = part}
      pos = pos + 3
      if c.limit[1] == SLOTS then
        c.holder = args[pos]
        pos = pos + 1
      end
      if c.limit[1] == FAIR then
        c.holder = {args[pos], args[pos + 1]}
        pos = pos + 2
      end
      c.weight = args[pos]
      pos = pos + 1
      c.total_cost = c.cost + (spent[c.k] or 0)
      c.state = load_state(c.k, c.limit, commit)
      if c.limit[1] == FAIR then -- the costs of two tenants do not add up: evaluated on the state after the earlier one
        c.total_cost, c.stored = c.cost, c.state
        local earlier = last[c.k]
        if earlier then
          local charge = earlier.next_state
          if charge and charge[1] ~= FAIR then earlier.next_state = state_after[FAIR](charge) end
          c.state = earlier.next_state or earlier.state
        end
      end
      c.kind, c.remaining, c.reset, c.wait, c.next_state, c.certain =
        step[c.state[1]](c.state, c.limit, c.k, c.total_cost, c.holder)
      if c.stored and c.cost == 0 and last[c.k] then c.next_state = c.state end
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
      if commit and c.next_state and last[c.k] == c then apply_charge(c.k, c.limit, c.next_state) end
    elseif c.kind == PASSED then
      if not allowed then c.state = c.stored or c.state end
      local before = allowed and c.total_cost - c.cost or 0
      c.kind, c.remaining, c.reset, c.wait = step[c.state[1]](c.state, c.limit, c.k, before, c.holder)
    end
    add_outcome(c.kind, c.remaining, c.reset, c.kind == EXCEEDS and c.total_cost or c.wait, c.certain)
    add_limit(c.limit, c.state)
  end
end
