-- Replaces a webhook's secret; the previous one stays valid for this many seconds. If it is
-- replaced again meanwhile, the first secret stays valid, which the receiver has, and not the one
-- in between. Returns the end of the overlap, null without one; no row if there is no such webhook.
create or replace function panel.replace_webhook_secret(
  p_id uuid,
  p_secret bytea,
  p_overlap_s integer
)
returns table (valid_until timestamptz)
language sql volatile security definer
as $$
  update webhooks w
  set secret = p_secret,
    previous_secret = case
      when p_overlap_s = 0 then null
      when w.previous_until > now() then w.previous_secret
      else w.secret
    end,
    previous_until = case when p_overlap_s > 0 then now() + p_overlap_s * interval '1 s' end
  where w.id = p_id and w.removed_at is null and p_overlap_s between 0 and 86400
  returning w.previous_until;
$$;
grant execute on function panel.replace_webhook_secret to panel_api;
