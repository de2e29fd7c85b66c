-- Words that few lines have are found without a look at all of them. Where many have them, the
-- latest are read in their order.
create index history_who on panel.history (who text_pattern_ops);
create index history_action on panel.history (action text_pattern_ops);
create index history_door on panel.history (door);
