-- Defines the general path: `execute` and `store_states`. A part that the batch does not need is skipped.

--include general
local packed
local function define_packed()
  --include packed-window
end
--include utilization
if uses[BUCKET] then
  --include bucket
end
if uses[FIXED] then
  --include fixed-window
end
if uses[SLIDING] then
  --include sliding-window
end
if uses[ROLLING] then
  --include rolling-window
end
local define_controller
if uses[SLOTS] then
  define_controller = function()
    --include adaptive-controller
    return complete_call
  end
  --include concurrency
end
if uses[FAIR] then
  local function define_fair_operations(divide, find)
    --include fair-operations
  end
  --include fair-share
end
local function define_holds()
  --include held-state
end
--include states
local function define_reservations()
  --include reservation
end
if has_multi then
  --include multi
end
--include plan
