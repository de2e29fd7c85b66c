-- Adds what a restore brings back and its account has no longer, for the operation that completes
-- it, as far as the package allows; may run twice. Returns whether it has added anything. Internal:
-- the caller holds the lane.
create or replace function panel.recreate_restored(p_id uuid, p_account_id bigint, p_rows jsonb)
returns boolean
language plpgsql volatile
as $$
declare
  v_has_databases boolean := recreate_databases(p_id, p_account_id, p_rows);
  v_has_mailboxes boolean := recreate_mailboxes(p_id, p_account_id, p_rows);
begin
  return v_has_databases or v_has_mailboxes;
end;
$$;
