-- Returns whether a text fits the grammar of e-mail addresses (src/model/grammar/email.ts), except
-- for checks that need tables and encoding: domains in other scripts whose ASCII form is missing or
-- differs.
create or replace function panel.is_email(p_text text)
returns boolean
language plpgsql immutable
as $$
declare
  v_hidden constant text :=
    '\u0001-\u007f\u0080-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f'
    || '\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb'
    || '\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff';
  v_wide constant text := '[^' || v_hidden || ']';
  v_atom constant text := '([A-Za-z0-9!#$%&''*+/=?^_`{|}~-]|' || v_wide || ')+';
  v_quoted constant text := '"([ !#-\[\]-~]|' || v_wide || '|\\[ -~])*"';
  v_wide_letter constant text := '[^\u3002\uff0e\uff61' || v_hidden || ']';
  v_letter constant text := '([A-Za-z0-9]|' || v_wide_letter || ')';
  v_label constant text := v_letter || '((-|' || v_letter || ')*' || v_letter || ')?';
  v_top_level constant text := '([A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])|(-|' || v_letter || ')*'
    || v_wide_letter || '((-|' || v_letter || ')*' || v_letter || ')?)';
begin
  return octet_length(p_text) <= 254
    and octet_length(substring(p_text from '^(.*)@')) <= 64
    -- Labels in ASCII; the others are longer there than here.
    and not exists (
      select from string_to_array(substring(p_text from '[^@]*$'), '.') as labels,
        unnest(labels) as label
      where char_length(label) > 63
        or label ~* '^xn--'
          and (decode_punycode(substr(label, 5)) ~ ('^' || v_label || '$')) is not true)
    and p_text ~ ('^(' || v_atom || '(\.' || v_atom || ')*|' || v_quoted || ')@('
      || v_label || '\.)+(?!-)' || v_top_level || '$');
end;
$$;
