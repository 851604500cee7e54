-- Names another generation of a set, unless the current one has keys of another kind.
-- KEYS[1]: the small key. ARGV[1]: its new value. ARGV[2]: the kind of key.
-- Returns the value that was there.
local old = redis.call('GET', KEYS[1])
if not old or cjson.decode(string.sub(old, 34)).manifest.key_kind == ARGV[2] then
  redis.call('SET', KEYS[1], ARGV[1])
end
return old
