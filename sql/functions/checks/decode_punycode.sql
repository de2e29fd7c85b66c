-- Decodes a label of a domain from Punycode (RFC 3492), without its `xn--`; returns null if it is
-- invalid, or decodes to ASCII alone. Internal.
create or replace function panel.decode_punycode(p_text text)
returns text
language plpgsql immutable
as $$
declare
  v_basic  text := coalesce(substring(p_text from '^(.+)-[^-]*$'), '');
  v_digits text := lower(substring(p_text from '[^-]*$'));
  v_result text[] := string_to_array(v_basic, null);
  v_code   integer := 128;
  v_bias   integer := 72;
  v_at     bigint := 0;
  v_before bigint;
  v_weight bigint;
  v_step   integer;
  v_digit  integer;
  v_min  integer;
  v_delta  bigint;
begin
  if v_digits = '' or p_text like '-%' and v_basic = '' then
    return null;
  end if;
  while v_digits <> '' loop
    v_before := v_at;
    v_weight := 1;
    v_step := 36;
    loop
      v_digit := position(left(v_digits, 1) in 'abcdefghijklmnopqrstuvwxyz0123456789') - 1;
      if v_digits = '' or v_digit < 0 then
        return null;
      end if;
      v_digits := substr(v_digits, 2);
      v_at := v_at + v_digit * v_weight;
      v_min := least(greatest(v_step - v_bias, 1), 26);
      exit when v_digit < v_min;
      v_weight := v_weight * (36 - v_min);
      v_step := v_step + 36;
      -- The largest character is far smaller.
      if v_weight > 2000000000 or v_at > 2000000000 then
        return null;
      end if;
    end loop;
    -- The bias for the next character.
    v_delta := (v_at - v_before) / case when v_before = 0 then 700 else 2 end;
    v_delta := v_delta + v_delta / (cardinality(v_result) + 1);
    v_bias := 0;
    while v_delta > 455 loop
      v_delta := v_delta / 35;
      v_bias := v_bias + 36;
    end loop;
    v_bias := v_bias + 36 * v_delta / (v_delta + 38);
    if v_code + v_at / (cardinality(v_result) + 1) > 1114111 then
      return null;
    end if;
    v_code := v_code + v_at / (cardinality(v_result) + 1);
    v_at := v_at % (cardinality(v_result) + 1);
    if v_code between 55296 and 57343 then
      return null;
    end if;
    v_result := v_result[:v_at] || chr(v_code) || v_result[v_at + 1:];
    v_at := v_at + 1;
  end loop;
  return array_to_string(v_result, '');
end;
$$;
