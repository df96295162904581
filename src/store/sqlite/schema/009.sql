-- Since when tasks wait because of a limit (ms; NULL: none does), and how long some have before.
ALTER TABLE errand_limit ADD COLUMN waits_since INTEGER;
ALTER TABLE errand_limit ADD COLUMN waited INTEGER NOT NULL DEFAULT 0;
