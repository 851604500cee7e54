-- Empties a growing filter: one bitmap of zeroes, cursor at it. Follows cursor.lua.
-- KEYS[2]: the kept count. ARGV[5]: bits of a bitmap.
-- A cursor that cannot be read is no obstacle: bitmaps are removed up to the first that is missing.
local cursor = read_cursor() or 0
local number = 0
while number < most and (number <= cursor or redis.call('EXISTS', base .. number) == 1) do
  redis.call('UNLINK', base .. number)
  number = number + 1
end
redis.call('DEL', KEYS[2])
redis.call('SET', KEYS[1], '0')
redis.call('SETBIT', base .. '0', ARGV[5] - 1, 0)
return 1
