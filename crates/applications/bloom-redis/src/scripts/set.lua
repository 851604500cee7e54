-- Sets bits of elements, in one step with what it checks. Follows lifetime.lua.
-- KEYS[1]: the bitmap. ARGV[1]: its mark without the generation. ARGV[2]: what a string without the mark is: 'reported',
-- 'empty' (one that is missing is created) or 'published' (used as it is, unless it has another mark). ARGV[3]: bytes before
-- the mark. ARGV[4], ARGV[5]: how the time to live is set, and the number. ARGV[6]: bits of an element. ARGV[7] and on:
-- offsets, element by element.
-- Returns a character an element, '1' new, '0' seen; or an array of the end of the string if that is not the mark.
local last = redis.call('GETRANGE', KEYS[1], -24, -1)
if string.sub(last, 1, #ARGV[1]) ~= ARGV[1] then
  if ARGV[2] == 'empty' and last == '' then
    redis.call('SETRANGE', KEYS[1], ARGV[3], ARGV[1] .. string.rep('\0', 24 - #ARGV[1]))
  elseif ARGV[2] ~= 'published' or string.sub(last, 1, 3) == string.sub(ARGV[1], 1, 3) then
    return { last }
  end
end
local probes, answers = tonumber(ARGV[6]), {}
-- Some whole elements in one command; only the offsets vary.
local set, most = { KEYS[1] }, math.max(1, math.floor(64 / probes)) * probes
for at = 2, 4 * most, 4 do
  set[at], set[at + 1], set[at + 3] = 'SET', 'u1', '1'
end
for first = 7, #ARGV, most do
  local count = math.min(most, #ARGV - first + 1)
  for bit = 0, count - 1 do
    set[4 * bit + 4] = ARGV[first + bit]
  end
  local before = redis.call('BITFIELD', unpack(set, 1, 4 * count + 1))
  for bit = 1, count, probes do
    local answer = '0'
    for probe = bit, bit + probes - 1 do
      if before[probe] == 0 then
        answer = '1'
      end
    end
    answers[#answers + 1] = answer
  end
end
set_lifetime(KEYS[1], ARGV[4], ARGV[5])
return table.concat(answers)
