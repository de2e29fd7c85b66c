-- Records a reading of a website's logs; a website that is gone by now is skipped.
create or replace function panel.record_site_reading(
  p_site_id bigint, p_kind text, p_content jsonb)
returns void
language sql volatile strict security definer
as $$
  update site_readings set content = p_content, read_at = now()
  where site_id = p_site_id and kind = p_kind;
$$;
grant execute on function panel.record_site_reading to panel_worker;
