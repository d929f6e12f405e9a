/**
 * Every function finds operators and functions in `pg_catalog` alone: a role that may create in our schema, or in one of
 * the caller's path, could otherwise have its own operator run with the rights of the functions that send.
 */
export const FUNCTION_PATHS = `do $make$
  declare "each" regprocedure;
  begin
    for "each" in select p."oid"::regprocedure from pg_catalog.pg_proc as p
      where p."pronamespace" = current_schema()::regnamespace and p."proname" like 'mailwright\\_%'
    loop
      execute format('alter function %s set search_path to pg_catalog, pg_temp', "each");
    end loop;
  end $make$`
