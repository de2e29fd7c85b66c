-- Returns whether a text for people contains invisible characters
-- (src/model/grammar/characters.ts).
create or replace function panel.has_hidden(p_text text)
returns boolean
language sql immutable
as $$
  select p_text ~ (
      '[\u0001-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b'
      || '\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb'
      || '\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]')
    or p_text ~ (
      '(^|[\u0001-\u007f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200c\u200d])'
      || '[\u200c\u200d\ufe00-\ufe0f]|[\u200c\u200d]$');
$$;
