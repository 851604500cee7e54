-- Gives a string that exists its full length.
-- KEYS[1]: the string. ARGV[1]: the length.
-- Returns the length that it has then, 0 if it is missing.
local length = redis.call('STRLEN', KEYS[1])
if length > 0 and length < tonumber(ARGV[1]) then
  redis.call('SETBIT', KEYS[1], ARGV[1] * 8 - 1, 0)
end
return redis.call('STRLEN', KEYS[1])
