/**
 * The index of mails in inboxes, and the triggers that keep it. The function's tables are in its own schema, `%1$I`, whatever
 * the writer's search path, and its operators in the system's, as those of all functions.
 */
export const SEARCH: readonly string[] = [
  `create table "mail_search" ("email_id" uuid not null primary key, "words" tsvector not null)`,
  `create index "mail_search_words" on "mail_search" using gin ("words")`,
  `do $make$ begin
    execute format($function$
      create function "mailwright_mail_words"() returns trigger language plpgsql
        set search_path to pg_catalog, pg_temp as $$ begin
        if tg_op = 'DELETE' then
          delete from %1$I."mail_search" where "email_id" = old."email_id";
          return null;
        end if;
        insert into %1$I."mail_search" ("email_id", "words") values (new."email_id",
          setweight(to_tsvector('pg_catalog.simple', new."subject"), 'A')
          || setweight(to_tsvector('pg_catalog.simple', new."people"), 'B')
          || setweight(to_tsvector('pg_catalog.simple', new."files"), 'B')
          || setweight(to_tsvector('pg_catalog.simple', new."body"), 'C')
          || to_tsvector('pg_catalog.simple', new."scope"))
          on conflict ("email_id") do update set "words" = excluded."words";
        return null;
      end $$ $function$, current_schema());
  end $make$`,
  `create trigger "mail_words_kept" after insert or update or delete on "mail_words"
    for each row execute function "mailwright_mail_words"()`,
]
