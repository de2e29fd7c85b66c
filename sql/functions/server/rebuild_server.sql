-- Begins an operation that repairs what all accounts share, and returns its id; that of a waiting
-- one, if there is one.
create or replace function panel.rebuild_server()
returns uuid
language plpgsql volatile
as $$
begin
  perform lock_lane(0);
  if not exists (
    select from operations
    where lane = 0 and name = 'server/apply' and state in ('blocked', 'queued'))
  then
    perform begin_internal(0, 'server/apply');
  end if;
  return (
    select id from operations
    where lane = 0 and name = 'server/apply' and state in ('blocked', 'queued'));
end;
$$;
