INSERT INTO edges VALUES ('ann','bob');
