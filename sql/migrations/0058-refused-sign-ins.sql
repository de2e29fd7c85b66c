-- Wrong passwords and codes are lines of the history too; there are only so many of them in a day,
-- which are counted by this.
create index history_refused on panel.history (at) where action = 'session/refuse';
