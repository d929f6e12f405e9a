/**
 * The functions with which programs in other languages send mail in their own transaction. They check only what needs no
 * rule of the engine, and store the request; a worker accepts it as it does any other. They run with the rights of
 * their owner, so that a role which may call them needs no other right; at first, only their owner may. The tables
 * are in their own schema, `%1$I`, which is not in their path: a role that may create in it could otherwise have its own
 * operator run with their rights.
 */
export const SEND_FUNCTIONS: readonly string[] = [
  `do $make$ begin
    execute format($function$
      create function "send"("mail" jsonb, "project" uuid default null, "idempotency_key" text default null) returns uuid
        language plpgsql volatile security definer set search_path to pg_catalog, pg_temp as $$
      #variable_conflict use_column
      declare
        "its_project" uuid; "its_size" int; "there" bigint; "print" text; "at" bigint; "new_id" uuid; "known" record;
      begin
        if jsonb_typeof("send"."mail") is distinct from 'object' then
          raise exception 'mailwright.send: mail must be a JSON object' using errcode = '22023',
            hint = 'It is the body of POST /v1/send, such as {"to": "ada@example.org", "template": "order"}.';
        end if;
        if coalesce("send"."mail" -> 'to', 'null') in ('null', '""', '[]') then
          raise exception 'mailwright.send: mail.to is required' using errcode = '22023',
            hint = 'Give one address, or a list of up to 100.';
        end if;
        "its_size" := octet_length("send"."mail"::text);
        if "its_size" > 20971520 then
          raise exception 'mailwright.send: mail must have at most 20 MB as JSON, not %% bytes', "its_size" using errcode = '22023';
        end if;
        if "send"."idempotency_key" !~ '^[ -~]{1,255}$' then
          raise exception 'mailwright.send: idempotency_key must be 1 to 255 printable ASCII characters' using errcode = '22023';
        end if;
        select count(*), min(p."id"::text)::uuid into "there", "its_project" from %1$I."projects" as p
          where "send"."project" is null or p."id" = "send"."project";
        if "there" <> 1 and "send"."project" is null then
          raise exception 'mailwright.send: project is required, since there are %% projects', "there" using errcode = '22023',
            hint = 'Give the id of the project.';
        elsif "there" <> 1 then
          raise exception 'mailwright.send: there is no project %%', "send"."project" using errcode = '22023';
        end if;
        if (select count(*) from (select 1 from %1$I."send_requests" where "status" = 'WAITING' limit 50000) as "all") = 50000 then
          raise exception 'mailwright.send: 50000 mails wait to be accepted, and no more may' using errcode = '53400',
            hint = 'Start a worker of mailwright on this database, or send more slowly.';
        end if;
        if "send"."idempotency_key" is not null then
          "print" := encode(sha256(convert_to("send"."mail"::text, 'UTF8')), 'hex');
        end if;
        loop
          "at" := extract(epoch from clock_timestamp()) * 1000000;
          "new_id" := (lpad(to_hex("at" / 1000), 12, '0') || '7' || lpad(to_hex("at" %% 1000 * 4096 / 1000), 3, '0')
            || substr(replace(gen_random_uuid()::text, '-', ''), 17))::uuid;
          insert into %1$I."send_requests" ("id", "project_id", "mail", "size", "idempotency_key", "fingerprint", "status",
              "attempts", "due_at", "created_at")
            values ("new_id", "its_project", "send"."mail", "its_size", "send"."idempotency_key", "print", 'WAITING',
              0, 'epoch', clock_timestamp())
            on conflict ("project_id", "idempotency_key") where "idempotency_key" is not null and "status" <> 'REFUSED' do nothing;
          exit when found;
          select r."id", r."fingerprint" into "known" from %1$I."send_requests" as r where r."project_id" = "its_project"
            and r."idempotency_key" = "send"."idempotency_key" and r."status" <> 'REFUSED';
          continue when not found;
          if "known"."fingerprint" = "print" then return "known"."id"; end if;
          raise exception 'mailwright.send: this idempotency_key was used before with another mail' using errcode = '23505',
            hint = 'Use a new key for a new mail, and the same key only to repeat the same mail.';
        end loop;
        perform pg_notify('mailwright_send', %1$L);
        return "new_id";
      end $$ $function$, current_schema());
    execute format($function$
      create function "send_result"("id" uuid) returns jsonb
        language sql stable security definer set search_path to pg_catalog, pg_temp as $$
        select jsonb_build_object('id', r."id", 'status', r."status", 'attempts', r."attempts") || case r."status"
            when 'ACCEPTED' then jsonb_build_object('emails', r."outcome")
            when 'REFUSED' then jsonb_build_object('error', r."outcome")
            else '{}' end
          from %1$I."send_requests" as r where r."id" = "send_result"."id"
      $$ $function$, current_schema());
  end $make$`,
  `revoke execute on function "send"(jsonb, uuid, text), "send_result"(uuid) from public`,
]
