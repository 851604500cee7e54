-- Gives the string of a published program its mark.
-- KEYS[1]: the string. ARGV[1]: the mark. ARGV[2]: bytes before the mark.
-- Returns the end of the string.
local length = redis.call('STRLEN', KEYS[1])
if length > 0 and length <= tonumber(ARGV[2]) then
  redis.call('SETRANGE', KEYS[1], ARGV[2], ARGV[1])
end
return redis.call('GETRANGE', KEYS[1], -24, -1)
