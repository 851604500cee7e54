-- Sets the bits of filters in another, whose mark and time to live stay.
-- KEYS[1]: the filter. KEYS[2] and on: those whose bits it gets. ARGV[1]: the mark without the generation. ARGV[2]: bytes before
-- the mark. ARGV[3]: '1' if a filter that is missing is empty.
-- Returns nothing, or the number of the first key without the mark, and the end of its string.
for number, key in ipairs(KEYS) do
  local last = redis.call('GETRANGE', key, -24, -1)
  if string.sub(last, 1, #ARGV[1]) ~= ARGV[1] and (last ~= '' or ARGV[3] ~= '1') then
    return { number, last }
  end
end
local last = redis.call('GETRANGE', KEYS[1], -24, -1)
local left = redis.call('PTTL', KEYS[1])
redis.call('BITOP', 'OR', KEYS[1], unpack(KEYS))
redis.call('SETRANGE', KEYS[1], ARGV[2], last == '' and ARGV[1] .. string.rep('\0', 24 - #ARGV[1]) or last)
if left > 0 then
  redis.call('PEXPIRE', KEYS[1], left)
end
return nil
