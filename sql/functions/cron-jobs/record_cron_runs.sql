-- Records runs of cron jobs that the machine has reported, as a JSON list of objects with `uid`,
-- `id`, `startedAt` and, once ended, `endedAt`, `exitCode` and `output`. Runs of deleted jobs, of
-- another account's jobs, and runs before the last one are skipped.
create or replace function panel.record_cron_runs(p_runs jsonb)
returns void
language plpgsql volatile security definer
as $$
declare
  v_run record;
begin
  for v_run in
    select r.*, a.id as account_id
    from jsonb_to_recordset(p_runs) as r (
      uid integer, id bigint, "startedAt" timestamptz, "endedAt" timestamptz, "exitCode" integer,
      output text)
    join accounts a on a.uid = r.uid
    order by r.id, r."startedAt", r."endedAt" nulls first
  loop
    if v_run."endedAt" is null then
      update cron_jobs j
      set running_since = v_run."startedAt"
      where j.id = v_run.id and j.account_id = v_run.account_id
        and v_run."startedAt" > coalesce(j.last_started_at, '-infinity');
    else
      update cron_jobs j
      set last_started_at = v_run."startedAt",
        -- The clock may have been set back meanwhile.
        last_ended_at = greatest(v_run."endedAt", v_run."startedAt"),
        last_exit_code = v_run."exitCode",
        last_output = v_run.output,
        running_since = case
          when j.running_since > v_run."startedAt" then j.running_since
        end
      where j.id = v_run.id and j.account_id = v_run.account_id
        and v_run."startedAt" >= coalesce(j.last_started_at, '-infinity');
    end if;
  end loop;
end;
$$;
grant execute on function panel.record_cron_runs to panel_worker;
