/**
 * The time an ISO 8601 date or date-time names, in milliseconds of Unix time; NULL for any other text. It reads
 * what `instantOf` in `core/values/iso-date.ts` reads, and raises nothing. The usual form is checked first,
 * since regular expressions are slow, and its parts are taken by position, since groups are slower still. The
 * days since 1970 are computed here, for years that PostgreSQL's dates do not have; the year starts in March, so
 * that a leap day is its last.
 */
export const MOMENT_FUNCTION = `create function "mailwright_moment_of"("written" text) returns bigint
  language plpgsql immutable strict parallel safe as $$
declare
  "y" int; "m" int; "d" int;
  "day" bigint;
  "ms" bigint := 0;
  "rest" text;
  "zone" text;
begin
  if "written" not like '____-__-__%' then return null; end if;
  if "written" like '____-__-__T__:__:__.___Z' and translate("written", '0123456789', '') = '--T::.Z'
    and left("written", 4) > '0000' and substr("written", 6, 2) between '01' and '12'
    and substr("written", 9, 2) between '01' and '28' and substr("written", 12, 2) < '24'
    and substr("written", 15, 1) < '6' and substr("written", 18, 1) < '6'
  then return round(date_part('epoch', "written"::timestamptz) * 1000); end if;
  if "written" !~ ('^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?'
    '(?:[Zz]|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?)?$')
  then return null; end if;
  "y" := substr("written", 1, 4); "m" := substr("written", 6, 2); "d" := substr("written", 9, 2);
  if "m" not between 1 and 12 or "d" not between 1 and (case
    when "m" = 2 then 28 + ("y" % 4 = 0 and ("y" % 100 <> 0 or "y" % 400 = 0) and "y" > 0)::int
    when "m" in (4, 6, 9, 11) then 30 else 31 end)
  then return null; end if;
  "y" := "y" + 400 - ("m" <= 2)::int;
  "day" := 365 * "y" + "y" / 4 - "y" / 100 + "y" / 400 + (153 * ("m" + case when "m" > 2 then -3 else 9 end) + 2) / 5
    + "d" - 1 - 719468 - 146097;
  if length("written") > 10 then
    "ms" := substr("written", 12, 2)::int * 3600000 + substr("written", 15, 2)::int * 60000;
    "rest" := substr("written", 17);
    if "rest" like ':%' then
      "ms" := "ms" + substr("rest", 2, 2)::int * 1000;
      "rest" := substr("rest", 4);
    end if;
    "zone" := ltrim("rest", '.,0123456789');
    if length("zone") < length("rest") then
      "ms" := "ms" + rpad(substr("rest", 2, least(length("rest") - length("zone") - 1, 3)), 3, '0')::int;
    end if;
    if length("zone") > 1 then
      "ms" := "ms" - (left("zone", 1) || '1')::int * (substr("zone", 2, 2)::int * 3600000
        + case when length("zone") > 3 then right("zone", 2)::int * 60000 else 0 end);
    end if;
  end if;
  return "day" * 86400000 + "ms";
end $$`
