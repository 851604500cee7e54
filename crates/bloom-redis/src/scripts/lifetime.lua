-- Sets the time to live of a key. Part of the scripts that need it.
-- how: '' keeps it, 'PERSIST' removes it, 'PEXPIRE' and 'PEXPIREAT' set it to the number, 'NX' sets it where there is none.
local function set_lifetime(key, how, number)
  if how == 'PERSIST' then
    redis.call('PERSIST', key)
  elseif how == 'NX' then
    if redis.call('PTTL', key) < 0 then
      redis.call('PEXPIRE', key, number)
    end
  elseif how ~= '' then
    redis.call(how, key, number)
  end
end
