-- For wrk: the requests of bench/traffic/hand-written.ts in turn, without looking at answers, so that pages and versions are guessed.
local plan, turn, oid = {}, 0, ''

function init(args)
  -- name=value, several ids with a comma between them
  for _, text in ipairs(args) do
    local name, value = text:match('^(%w+)=(.*)$')
    plan[name] = value
  end
  for _, name in ipairs({ 'objectIds', 'hotIds' }) do
    local ids = {}
    for id in plan[name]:gmatch('[^,]+') do ids[#ids + 1] = id end
    plan[name] = ids
  end
  plan.headers = { ['Authorization'] = plan.authorization, [plan.filterHeader] = plan.filter }
  plan.edited = { ['Content-Type'] = 'application/json', [plan.versionHeader] = '2' }
  for name, value in pairs(plan.headers) do plan.edited[name] = value end
end

local function at(path) return (path:gsub('OBJECTID', oid)) end

function request()
  local step = turn % 6
  turn = turn + 1
  if step == 0 then oid = plan.objectIds[math.random(#plan.objectIds)] end
  if step == 4 then oid = plan.hotIds[math.random(#plan.hotIds)] end
  if step == 0 or step == 4 then return wrk.format('GET', at(plan.read), plan.headers) end
  if step == 5 then return wrk.format('PATCH', at(plan.edit), plan.edited, '{"note":"' .. turn .. '"}') end
  return wrk.format('GET', (at(plan.page):gsub('PAGENUMBER', step - 1)), plan.headers)
end
