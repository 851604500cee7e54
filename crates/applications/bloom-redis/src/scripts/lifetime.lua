-- Sets the time to live of a key. Part of the scripts that need it.
-- how: '' keeps it, 'PERSIST' removes it, 'PEXPIRE' and 'PEXPIREAT' set it to the number.
local function set_lifetime(key, how, number)
  if how == 'PERSIST' then
    redis.call('PERSIST', key)
  elseif how ~= '' then
    redis.call(how, key, number)
  end
end
