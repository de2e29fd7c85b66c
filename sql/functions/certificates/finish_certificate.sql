-- Records that a certificate is served, for the previous release: its authority is not asked when
-- to renew it.
create or replace function panel.finish_certificate(
  p_site_id bigint,
  p_epoch integer,
  p_operation_id uuid,
  p_issuer text,
  p_begins_at timestamptz,
  p_expires_at timestamptz,
  p_event bytea
)
returns boolean
language plpgsql volatile security definer
as $$
begin
  return record_installed(
    p_site_id, p_epoch, p_operation_id, p_issuer, p_begins_at, p_expires_at, null, p_event);
end;
$$;
grant execute on function panel.finish_certificate to panel_worker;
