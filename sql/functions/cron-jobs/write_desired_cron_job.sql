-- Records the desired state of a cron job in the lane of its account, for a started operation, and
-- returns the account for the worker. An invalid schedule or command changes nothing: the API's
-- role may have sent anything.
create or replace function panel.write_desired_cron_job(p_id uuid)
returns json
language plpgsql volatile strict security definer
as $$
declare
  v_operation operations%rowtype;
begin
  select * into v_operation from operations where id = p_id;
  update cron_jobs
  set desired = case v_operation.name
      when 'cron/add' then 'present'
      when 'cron/remove' then 'absent'
      else desired
    end,
    schedule = case
      when is_cron_schedule(v_operation.params ->> 'schedule')
        then v_operation.params ->> 'schedule'
      else schedule
    end,
    command = case
      when is_cron_command(v_operation.params ->> 'command') then v_operation.params ->> 'command'
      else command
    end
  -- As text: a row may hold anything.
  where id::text = v_operation.params ->> 'job_id'
    and account_id = v_operation.account_id and v_operation.state = 'running'
    and not is_suspended_by_admin(p_id);
  return write_desired_account(p_id)::jsonb
    || jsonb_build_object('jobId', v_operation.params ->> 'job_id');
end;
$$;
grant execute on function panel.write_desired_cron_job to panel_worker;
