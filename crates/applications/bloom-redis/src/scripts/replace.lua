-- Puts a loaded filter in the place of another.
-- KEYS[1]: the loaded filter. KEYS[2], KEYS[3]: the filter in use, and its mark. ARGV[1]: the mark of this load.
-- Returns 1 if it is done, 0 if the loaded filter is gone.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
-- Renaming would free the old filter in the foreground.
redis.call('UNLINK', KEYS[2])
redis.call('RENAME', KEYS[1], KEYS[2])
redis.call('PERSIST', KEYS[2])
redis.call('SET', KEYS[3], ARGV[1])
return 1
