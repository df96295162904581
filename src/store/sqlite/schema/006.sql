-- Schedules, and the news of their runs.

ALTER TABLE errand_news ADD COLUMN schedule BLOB;

CREATE TABLE errand_schedule(
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    name BLOB NOT NULL,                 -- its place in lists
    look INTEGER,                       -- when somebody is to look at it, ms
    record BLOB NOT NULL,
    UNIQUE(ns, id)
);
CREATE INDEX errand_schedule_look ON errand_schedule(ns, look) WHERE look IS NOT NULL;
CREATE INDEX errand_schedule_name ON errand_schedule(ns, name);
