-- Tasks by a number of their own: trees of numbers are searched and added to more quickly than those of ids.
CREATE TABLE numbered(
    n INTEGER PRIMARY KEY,
    ns INTEGER NOT NULL,
    id BLOB NOT NULL,
    list INTEGER NOT NULL,
    place INTEGER,
    claim INTEGER,
    body INTEGER NOT NULL,
    life INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    expires INTEGER,
    notes BLOB,
    outcome BLOB,
    small BLOB,
    UNIQUE(ns, id)
);
INSERT INTO numbered(ns, id, list, place, claim, body, life, priority, expires, notes, outcome, small)
SELECT ns, id, list, place, claim, body, life, priority, expires, notes, outcome, small FROM task;
DROP TABLE task;
ALTER TABLE numbered RENAME TO task;
CREATE INDEX task_place ON task(list, place, id) WHERE place IS NOT NULL;
CREATE INDEX task_expires ON task(ns, expires) WHERE expires IS NOT NULL;
