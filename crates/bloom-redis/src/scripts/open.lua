-- Before the bits of a filter that must exist are set, in one transaction with them and with close.lua.
-- KEYS[1]: the bitmap. KEYS[2]: a name that nobody else uses. ARGV[1]: the mark. ARGV[2]: bytes of the bitmap.
-- A bitmap that is missing becomes a list, so that the commands that would create it are refused; nobody outside of the
-- transaction sees it. Another string is renamed meanwhile. Returns the length of the string.
local length = redis.pcall('STRLEN', KEYS[1])
-- An error is that of a key of another type, which refuses the commands by itself.
if type(length) == 'table' or length == tonumber(ARGV[2]) then
  return tonumber(ARGV[2])
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('RENAME', KEYS[1], KEYS[2])
end
redis.call('RPUSH', KEYS[1], ARGV[1])
return length
