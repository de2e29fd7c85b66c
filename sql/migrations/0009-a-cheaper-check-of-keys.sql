-- The same keys as before; measured at 7 instead of 60 microseconds, at each of a request's writes.
alter table panel.operations drop constraint operations_key_check;
alter table panel.operations add constraint operations_key_check
  check (char_length(key) between 1 and 255 and key !~ '[^ -~]');
