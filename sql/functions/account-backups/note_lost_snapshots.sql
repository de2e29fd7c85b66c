-- Records that a repository no longer has the snapshots of backups: they have failed. `p_found` are
-- all snapshots that it has.
create or replace function panel.note_lost_snapshots(p_repository_id bigint, p_found text[])
returns integer
language sql volatile strict security definer
as $$
  with lost as (
    update account_backups
    set state = 'failed', error = 'Its snapshot is no longer in the repository'
    where repository_id = p_repository_id and state = 'done' and snapshot <> all (p_found)
    returning id)
  select count(*)::integer from lost;
$$;
grant execute on function panel.note_lost_snapshots to panel_worker;
