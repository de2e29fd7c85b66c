-- What an operation that a rebuild has begun found different on the machine, as sentences for the
-- administrator: empty at first, and null where nobody wants to know.
alter table panel.operations add column differed text[];
