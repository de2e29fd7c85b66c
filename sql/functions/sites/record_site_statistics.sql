-- Records the statistics of a website; a website that is gone by now is skipped.
create or replace function panel.record_site_statistics(p_site_id bigint, p_content jsonb)
returns void
language sql volatile strict security definer
as $$
  update site_statistics set content = p_content, read_at = now() where site_id = p_site_id;
$$;
grant execute on function panel.record_site_statistics to panel_worker;
