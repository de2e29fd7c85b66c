-- Returns whether a text is a schedule in its stored form (src/model/cron-jobs/cron-schedule.ts):
-- lists of numbers, ranges and steps within the limits of each field.
create or replace function panel.is_cron_schedule(p_text text)
returns boolean
language plpgsql immutable
as $$
declare
  v_limits constant int[][] := array[[0, 59], [0, 23], [1, 31], [1, 12], [0, 7]];
  v_field  text;
  v_item   text;
  v_found  text[];
  v_index  integer := 0;
begin
  if p_text = '@reboot' then
    return true;
  elsif p_text is null or char_length(p_text) > 200
    or p_text !~ '^[0-9*,/-]+( [0-9*,/-]+){4}$' then
    return false;
  end if;
  foreach v_field in array string_to_array(p_text, ' ') loop
    v_index := v_index + 1;
    foreach v_item in array string_to_array(v_field, ',') loop
      v_found := regexp_match(v_item, '^(?:\*|([0-9]{1,2})(?:-([0-9]{1,2}))?)(?:/([0-9]{1,2}))?$');
      if v_found is null
        or v_found[1]::int not between v_limits[v_index][1] and v_limits[v_index][2]
        or v_found[2]::int not between v_found[1]::int and v_limits[v_index][2]
        or v_found[3]::int not between 1 and v_limits[v_index][2] - v_limits[v_index][1]
        -- A step follows * or a range.
        or v_found[3] is not null and v_found[1] is not null and v_found[2] is null then
        return false;
      end if;
    end loop;
  end loop;
  return true;
end;
$$;
