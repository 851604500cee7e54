-- Which elements a growing filter holds. Follows cursor.lua.
-- ARGV[5]: bits of an element. ARGV[6] and on: offsets, element by element.
-- Returns a character an element: '1' may be there, '0' is not, '?' is in no bitmap, but one is missing.
local probes = tonumber(ARGV[5])
local cursor, problem = read_cursor()
if not cursor then
  return problem
end
local _, any_missing = find_missing(cursor)
local answers = {}
for first = 6, #ARGV, probes do
  local get = { '' }
  for probe = 0, probes - 1 do
    get[#get + 1] = 'GET'
    get[#get + 1] = 'u1'
    get[#get + 1] = ARGV[first + probe]
  end
  local answer = any_missing and '?' or '0'
  for number = cursor, 0, -1 do
    if holds(number, get) then
      answer = '1'
      break
    end
  end
  answers[#answers + 1] = answer
end
return table.concat(answers)
