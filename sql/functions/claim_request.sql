-- Claims the key of a request that came by HTTP, or looks what a claim would find.  Only the owner
-- of the schema may ask as root (claim_operation.sql).
create or replace function panel.claim_request(
  p_caller text,
  p_key text,
  p_fingerprint bytea,
  p_is_look boolean,
  out id uuid,
  out outcome text,
  out status integer,
  out body bytea,
  out location text,
  out is_sealed boolean,
  out epoch integer
)
language plpgsql volatile security definer
as $$
begin
  if p_caller !~ '^(token|session):[0-9]+$' then
    raise exception 'nobody asks by HTTP as %', p_caller;
  end if;
  select c.* into id, outcome, status, body, location, is_sealed, epoch
  from claim_operation(p_caller, p_key, p_fingerprint, p_is_look) c;
end;
$$;
grant execute on function panel.claim_request to panel_api;
