-- Which operations lift a suspension, or take away what one keeps: where an administrator has
-- suspended the account, nobody else's is carried out.
alter table panel.operation_names add column lifts boolean not null default false;
