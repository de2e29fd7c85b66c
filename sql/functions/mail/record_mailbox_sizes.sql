-- Stores the size of the messages of mailboxes; those that are gone by now are skipped.
create or replace function panel.record_mailbox_sizes(p_ids bigint[], p_bytes bigint[])
returns void
language sql volatile security definer
as $$
  update mailboxes b
  set used_bytes = m.bytes, measured_at = now()
  from unnest(p_ids, p_bytes) m (id, bytes)
  where b.id = m.id;
$$;
grant execute on function panel.record_mailbox_sizes to panel_worker;
