-- Before the bits of a filter that must exist are set, in one transaction with them and with close.lua.
-- KEYS[1]: the bitmap. ARGV[1]: the mark.
-- A bitmap that is missing becomes a list, so that the commands that would create it are refused; nobody outside of the
-- transaction sees it. Returns 1 if the bitmap is there, 0 if it is missing.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 1
end
redis.call('RPUSH', KEYS[1], ARGV[1])
return 0
