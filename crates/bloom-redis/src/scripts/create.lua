-- Creates the current bitmap of a growing filter if it is not there, and a cursor with the first. Follows cursor.lua.
-- KEYS[2]: the kept count. ARGV[5]: bits of a bitmap.
-- Returns 1 if it was created, 0 if it was there.
local cursor, problem = read_cursor()
if not cursor then
  return problem
end
if redis.call('EXISTS', base .. cursor) == 1 then
  return 0
end
redis.call('DEL', KEYS[2])
redis.call('SETBIT', base .. cursor, ARGV[5] - 1, 0)
if cursor == 0 and redis.call('EXISTS', base .. '1') == 0 then
  redis.call('SET', KEYS[1], '0', 'NX')
end
return 1
