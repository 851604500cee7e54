-- Names another generation of a set, unless the small key is no longer as it was read.
-- KEYS[1]: the small key. ARGV[1]: its new value. ARGV[2]: the value that was read, empty if there was none.
-- Returns 1 if it is done, 0 if there is another value.
local now = redis.pcall('GETRANGE', KEYS[1], 0, #ARGV[2])
if now ~= ARGV[2] then
  return type(now) == 'string' and 0 or now
end
redis.call('SET', KEYS[1], ARGV[1])
return 1
