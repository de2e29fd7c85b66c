-- Applies a JSON merge patch (RFC 7396): what it leaves out is kept, and null removes. Internal.
create or replace function panel.merge_patch(p_old jsonb, p_patch jsonb)
returns jsonb
language plpgsql immutable
as $$
declare
  v_merged jsonb := case when jsonb_typeof(p_old) = 'object' then p_old else '{}' end;
  v_key text;
  v_value jsonb;
begin
  if jsonb_typeof(p_patch) is distinct from 'object' then
    return p_patch;
  end if;
  for v_key, v_value in select key, value from jsonb_each(p_patch) loop
    if v_value = 'null' then
      v_merged := v_merged - v_key;
    else
      v_merged := v_merged
        || jsonb_build_object(v_key, merge_patch(v_merged -> v_key, v_value));
    end if;
  end loop;
  return v_merged;
end;
$$;
