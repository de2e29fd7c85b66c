-- What was measured last of an account's files in each month (UTC), its first day as the key.
create table panel.disk_months (
  account_id   bigint      not null references panel.accounts on delete cascade,
  month        date        not null check (extract(day from month) = 1),
  bytes        bigint      not null check (bytes >= 0),

  primary key (account_id, month)
);

insert into panel.disk_months (account_id, month, bytes)
select account_id, date_trunc('month', measured_at at time zone 'UTC'), bytes
from panel.disk_usage;

grant select on panel.disk_months to panel_api;
grant select, insert, update, delete on panel.disk_months to panel_worker;
