-- Which elements a growing filter holds. Follows cursor.lua.
-- ARGV[6]: bits of an element. ARGV[7] and on: offsets, element by element.
-- Returns a character an element: '1' may be there, '0' is not, '?' is in no bitmap, but a key of the filter is missing.
local probes = tonumber(ARGV[6])
local cursor, complete = read_filter()
if not cursor then
  return complete
end
local answers = {}
for first = 7, #ARGV, probes do
  local get = { '' }
  for probe = 0, probes - 1 do
    get[#get + 1] = 'GET'
    get[#get + 1] = 'u1'
    get[#get + 1] = ARGV[first + probe]
  end
  local answer = complete and '0' or '?'
  for number = cursor, 0, -1 do
    if holds(number, get) then
      answer = '1'
      break
    end
  end
  answers[#answers + 1] = answer
end
return table.concat(answers)
