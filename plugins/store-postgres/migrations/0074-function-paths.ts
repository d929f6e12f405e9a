import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/**
 * Lets every function find operators and functions in `pg_catalog` alone: a role that may create in our schema, or in one
 * of the caller's path, could otherwise have its own operator run with the rights of the functions that send.
 */
export class FunctionPaths extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(MOMENT_IN_SCHEMA)
    this.addSql(`do $make$
      declare "each" regprocedure;
      begin
        for "each" in select p."oid"::regprocedure from pg_catalog.pg_proc as p
          where p."pronamespace" = current_schema()::regnamespace
            and (p."proname" like 'mailwright\\_%' or p."proname" in ('send', 'send_result'))
        loop
          execute format('alter function %s set search_path to pg_catalog, pg_temp', "each");
        end loop;
      end $make$`)
  }
}

/** The function of 0035-values, which calls the other one of its schema by its whole name. */
const MOMENT_IN_SCHEMA = `do $make$ begin
  execute format($function$
    create or replace function "mailwright_moment_in"("given" jsonb) returns bigint
      language plpgsql immutable strict parallel safe as $$
    declare
      "written" text;
      "number" numeric;
    begin
      case jsonb_typeof("given")
        when 'string' then
          "written" := "given" #>> '{}';
          if "written" !~ '^[0-9]{10}([0-9]{3})?$' then return %1$I."mailwright_moment_of"("written"); end if;
          "number" := "written"::numeric;
        when 'number' then "number" := "given"::numeric;
        else return null;
      end case;
      return case when "number" >= 1e9 and "number" < 1e10 then floor("number") * 1000
        when "number" >= 1e12 and "number" < 1e13 then floor("number") end;
    end $$ $function$, current_schema());
end $make$`
