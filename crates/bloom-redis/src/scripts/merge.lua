-- Sets the bits of filters in another, whose time to live stays.
-- KEYS[1]: the filter. KEYS[2] and on: those whose bits it gets. ARGV[1]: '1' if one that is missing is reported.
-- Returns 0, or the number of the first key that is missing.
if ARGV[1] == '1' then
  for number, key in ipairs(KEYS) do
    if redis.call('EXISTS', key) == 0 then
      return number
    end
  end
end
local left = redis.call('PTTL', KEYS[1])
redis.call('BITOP', 'OR', KEYS[1], unpack(KEYS))
if left > 0 then
  redis.call('PEXPIRE', KEYS[1], left)
end
return 0
