-- What of its account an operation is about, as a domain, or why it was asked for: what its write
-- says of itself, by name and without secrets. Null where it says nothing.
alter table panel.operations add column subject text check (char_length(subject) <= 500);
alter table panel.history add column subject text check (char_length(subject) <= 500);

grant select (subject) on panel.operations to panel_api;
