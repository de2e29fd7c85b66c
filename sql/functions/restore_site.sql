-- Has a website be as it was before an operation: one that was added leaves the machine again, and
-- one that the machine has never seen its row at once.  Internal: restore_found calls it.
create or replace function panel.restore_site(p_id uuid, p_is_over boolean)
returns void
language plpgsql volatile
as $$
begin
  if p_is_over then
    delete from sites where added_by = p_id and wanted = 'reserved';
  else
    update sites s
    set wanted = case when s.added_by = p_id then 'absent' else 'present' end
    from operations o
    where o.id = p_id and s.id = (o.wants ->> 'site_id')::bigint and s.account_id = o.account_id;
  end if;
end;
$$;
