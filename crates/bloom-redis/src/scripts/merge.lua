-- Sets the bits of filters in another, whose time to live stays.
-- KEYS[1]: the filter. KEYS[2] and on: those whose bits it gets. ARGV[1]: bytes of each if one that is missing is reported, or
-- ''.
-- Returns nothing, or the number of the first key that has another length, and its length.
if ARGV[1] ~= '' then
  for number, key in ipairs(KEYS) do
    local length = redis.call('STRLEN', key)
    if length ~= tonumber(ARGV[1]) then
      return { number, length }
    end
  end
end
local left = redis.call('PTTL', KEYS[1])
redis.call('BITOP', 'OR', KEYS[1], unpack(KEYS))
if left > 0 then
  redis.call('PEXPIRE', KEYS[1], left)
end
return nil
