/**
 * The values at a path in JSON: a key leads into an object, a number to that place of a list, and any other key to that
 * of each object in a list. It is `valuesAt` of `core/filters/data-tests.ts`.
 */
export const VALUES_AT_FUNCTION = `create function "mailwright_values_at"("data" jsonb, "path" text[]) returns setof jsonb
  language plpgsql immutable strict parallel safe rows 10 as $$
declare
  "found" jsonb[] := array["data"];
  "key" text;
begin
  foreach "key" in array "path" loop
    if "key" ~ '^(0|[1-9][0-9]{0,8})$' then
      "found" := array(
        select case jsonb_typeof(f."value") when 'array' then f."value" -> "key"::int else f."value" -> "key" end
        from unnest("found") as f("value"));
    else
      "found" := array(
        select e."value" -> "key" from unnest("found") as f("value"),
          jsonb_array_elements(case jsonb_typeof(f."value") when 'array' then f."value"
            else jsonb_build_array(f."value") end) as e("value")
        where jsonb_typeof(e."value") = 'object');
    end if;
  end loop;
  return query select f."value" from unnest("found") as f("value") where f."value" is not null;
end $$`

/**
 * The time a JSON value names, in milliseconds of Unix time; NULL for any other. It reads what `momentIn` in
 * `core/values/iso-date.ts` reads. The function that it calls is in its own schema, `%1$I`, whatever the caller's search
 * path.
 */
export const MOMENT_IN_FUNCTION = `do $make$ begin
  execute format($function$
    create function "mailwright_moment_in"("given" jsonb) returns bigint
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
