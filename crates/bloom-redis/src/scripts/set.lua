-- Sets bits of elements, in one step with what it checks. Follows lifetime.lua.
-- KEYS[1]: the bitmap. ARGV[1]: bytes of the bitmap if it must be there, or ''. ARGV[2], ARGV[3]: how the time to live is set,
-- and the number. ARGV[4]: bits of an element. ARGV[5] and on: offsets, element by element.
-- Returns a character an element, '1' new, '0' seen; or the length of the string if it must be another.
local length = ARGV[1] ~= '' and redis.call('STRLEN', KEYS[1])
if length and length ~= tonumber(ARGV[1]) then
  return length
end
local probes, answers = tonumber(ARGV[4]), {}
for first = 5, #ARGV, probes do
  local set = { KEYS[1] }
  for at = first, first + probes - 1 do
    set[#set + 1] = 'SET'
    set[#set + 1] = 'u1'
    set[#set + 1] = ARGV[at]
    set[#set + 1] = '1'
  end
  local answer = '0'
  for _, bit in ipairs(redis.call('BITFIELD', unpack(set))) do
    if bit == 0 then
      answer = '1'
    end
  end
  answers[#answers + 1] = answer
end
set_lifetime(KEYS[1], ARGV[2], ARGV[3])
return table.concat(answers)
