-- Subtracts starts that were lost with the connection to the database, while their process lived:
-- they do not show that an operation ends its worker. Each is named by its epoch, which is raised,
-- so that it is subtracted once and can write nothing more; or by 0, if its process does not know
-- it.
create or replace function panel.forgive_starts(p_ids uuid[], p_epochs integer[])
returns void
language sql volatile security definer
as $$
  update operations o
  set starts = o.starts - 1, epoch = o.epoch + 1
  from unnest(p_ids, p_epochs) l (id, epoch)
  where o.id = l.id and l.epoch in (o.epoch, 0) and o.state in ('running', 'undoing')
    and o.starts > 0;
$$;
grant execute on function panel.forgive_starts to panel_worker;
