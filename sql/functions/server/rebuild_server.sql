-- Begins an operation that makes what all accounts share agree again, and returns its id; where one
-- waits for its turn already, that one's.
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
