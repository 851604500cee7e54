-- Which elements a growing filter holds. Follows cursor.lua.
-- Returns a character an element: '1' may be there, '0' is not, '?' is in no bitmap, but a key of the filter is missing.
local cursor, complete = read_filter()
if not cursor then
  return complete
end
for number = cursor, 0, -1 do
  look(number, 7)
end
local answers = {}
for first = 7, #ARGV, probes do
  answers[#answers + 1] = held[first] and '1' or complete and '0' or '?'
end
return table.concat(answers)
