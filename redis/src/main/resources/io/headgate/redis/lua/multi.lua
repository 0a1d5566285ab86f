-- Plans of several charges, which pass and are charged as a whole or not at all. Mirrors Plan.java and Combine.java.
-- Several charges of one key (which then have the same limit) are evaluated cumulatively: each with the cost of the
-- earlier ones that are made. The state after the last of them is stored.
--
--   a part    the number of charges, ALL, ANY or WEIGHTED, the weight that must pass (in thousandths), enforced 0|1,
--             then each charge with its weight

local ANY, WEIGHTED = 1, 2

-- The charges of a plan, one list for each field. They are reused by the plans of a batch: a table for each charge would
-- take longer than its arithmetic.
local ks, charge_limits, costs, holders, total_costs, charge_states, stored_states = {}, {}, {}, {}, {}, {}, {}
local kinds, remainings, resets, waits, next_states, certains, is_charged = {}, {}, {}, {}, {}, {}, {}
local spent, last = {}, {} -- by key: the cost of the parts so far, and the last charge made; empty between plans

-- Evaluates the charge of an index, with the cost of the earlier charges of its key.
local function evaluate(i, commit)
  local k, limit, cost = args[pos], limits[args[pos + 1]], args[pos + 2]
  local kind, holder, total_cost = limit[1], nil, cost + (spent[k] or 0)
  pos = pos + 3
  if kind == SLOTS then
    holder = args[pos]
    pos = pos + 1
  elseif kind == FAIR then
    holder = {args[pos], args[pos + 1]}
    pos = pos + 2
  end
  local state, stored, earlier = load_state(k, limit, commit), nil, last[k]
  if kind == FAIR then -- the costs of two tenants do not add up: evaluated on the state after the earlier one
    total_cost, stored = cost, state
    if earlier then
      local charge = next_states[earlier]
      if charge and charge[1] ~= FAIR then next_states[earlier] = state_after[FAIR](charge) end
      state = next_states[earlier] or charge_states[earlier]
    end
  end
  ks[i], charge_limits[i], costs[i], holders[i], total_costs[i] = k, limit, cost, holder, total_cost
  charge_states[i], stored_states[i] = state, stored
  kinds[i], remainings[i], resets[i], waits[i], next_states[i], certains[i] =
    step[state[1]](state, limit, k, total_cost, holder)
  if stored and cost == 0 and earlier then next_states[i] = state end
end

-- Evaluates a part whose first charge has this index; marks the charges to make. Returns the index of its last charge, and
-- whether the plan may pass.
local function evaluate_part(first, commit)
  local size, combine, permille, is_enforced = args[pos], args[pos + 1], args[pos + 2], args[pos + 3] == 1
  local passing, passing_weight, weight_sum, final = 0, 0, 0, first + size - 1
  pos = pos + 4
  for i = first, final do
    evaluate(i, commit)
    local weight = args[pos]
    pos = pos + 1
    weight_sum = weight_sum + weight
    if kinds[i] == PASSED then passing, passing_weight = passing + 1, passing_weight + weight end
  end
  local passes = passing == size
  if combine == ANY then
    passes = passing > 0
  elseif combine == WEIGHTED then
    passes = passing > 0 and passing_weight * 1000 >= weight_sum * permille
  end
  local is_made = false
  for i = first, final do
    is_charged[i] = passes and kinds[i] == PASSED and not (combine == ANY and is_made)
    if is_charged[i] then
      is_made = true
      spent[ks[i]] = (spent[ks[i]] or 0) + costs[i]
      last[ks[i]] = i
    end
  end
  return final, passes or not is_enforced
end

evaluate_multi = function(count, commit)
  local size, allowed, passes = 0, true, nil
  for _ = 1, count do
    size, passes = evaluate_part(size + 1, commit)
    allowed = allowed and passes
  end
  for i = 1, size do
    local k, limit, state = ks[i], charge_limits[i], charge_states[i]
    if allowed and is_charged[i] then
      if commit and next_states[i] and last[k] == i then apply_charge(k, limit, next_states[i]) end
    elseif kinds[i] == PASSED then
      if not allowed then state = stored_states[i] or state end
      local before = allowed and total_costs[i] - costs[i] or 0
      kinds[i], remainings[i], resets[i], waits[i] = step[state[1]](state, limit, k, before, holders[i])
      certains[i] = nil
    end
    local kind = kinds[i]
    add_outcome(kind, remainings[i], resets[i], kind == EXCEEDS and total_costs[i] or waits[i], certains[i])
    add_limit(limit, state)
  end
  for i = 1, size do spent[ks[i]], last[ks[i]] = nil, nil end
end
