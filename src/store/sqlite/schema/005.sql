-- Names that no other table has, so that a user's own tables may stand in the same file; and the format in a table of
-- errand's, since the numbers in the header are the user's.
ALTER TABLE name_space RENAME TO errand_name_space;
ALTER TABLE queue RENAME TO errand_queue;
ALTER TABLE list RENAME TO errand_list;
ALTER TABLE body RENAME TO errand_body;
ALTER TABLE task RENAME TO errand_task;
ALTER TABLE claim RENAME TO errand_claim;
ALTER TABLE waiting RENAME TO errand_waiting;
ALTER TABLE link RENAME TO errand_link;
ALTER TABLE news RENAME TO errand_news;
ALTER TABLE stage RENAME TO errand_stage;
ALTER TABLE watched RENAME TO errand_watched;
ALTER TABLE mail RENAME TO errand_mail;
ALTER TABLE worker RENAME TO errand_worker;
ALTER TABLE tally RENAME TO errand_tally;
ALTER TABLE arrived RENAME TO errand_arrived;
DROP INDEX task_place;
CREATE INDEX errand_task_place ON errand_task(list, place, id) WHERE place IS NOT NULL;
DROP INDEX task_expires;
CREATE INDEX errand_task_expires ON errand_task(ns, expires) WHERE expires IS NOT NULL;
DROP INDEX claim_ends;
CREATE INDEX errand_claim_ends ON errand_claim(ns, ends);
DROP INDEX news_at;
CREATE INDEX errand_news_at ON errand_news(ns, at);
DROP INDEX mail_engine;
CREATE INDEX errand_mail_engine ON errand_mail(engine);
CREATE TABLE errand_format(number INTEGER NOT NULL);
INSERT INTO errand_format(number) VALUES(4);
