-- Records the last lines of a website's logs; a website that is gone by now is skipped.
create or replace function panel.record_site_log(p_site_id bigint, p_content jsonb)
returns void
language sql volatile strict security definer
as $$
  update site_logs set content = p_content, read_at = now() where site_id = p_site_id;
$$;
grant execute on function panel.record_site_log to panel_worker;
