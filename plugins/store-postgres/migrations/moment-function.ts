/**
 * The moment an ISO 8601 date or date-time names, in milliseconds of Unix time; NULL for any other text. It reads what
 * `instantOf` in `core/values/iso-date.ts` reads, raises nothing, and counts the days since 1970 by itself, for years
 * that PostgreSQL's dates do not know (the year is taken to begin in March, so that a leap day is its last).
 */
export const MOMENT_FUNCTION = `create function "mailwright_moment_of"("written" text) returns bigint
  language plpgsql immutable strict parallel safe as $$
declare
  "part" text[];
  "y" int; "m" int; "d" int;
  "leap" boolean;
  "day" bigint;
  "zone" int;
begin
  "part" := regexp_match("written", '^([0-9]{4})-([0-9]{2})-([0-9]{2})'
    '(?:[Tt ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:[.,]([0-9]{1,9}))?)?'
    '(?:[Zz]|([+-])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?)?)?$');
  if "part" is null then return null; end if;
  "y" := "part"[1]; "m" := "part"[2]; "d" := "part"[3];
  "leap" := "y" % 4 = 0 and ("y" % 100 <> 0 or "y" % 400 = 0) and "y" > 0;
  if "m" not between 1 and 12 or "d" not between 1 and
    (case when "m" = 2 then 28 + "leap"::int when "m" in (4, 6, 9, 11) then 30 else 31 end)
  then return null; end if;
  "y" := "y" + 400 - ("m" <= 2)::int;
  "day" := 365 * "y" + "y" / 4 - "y" / 100 + "y" / 400 + (153 * ("m" + case when "m" > 2 then -3 else 9 end) + 2) / 5
    + "d" - 1 - 719468 - 146097;
  "zone" := case "part"[8] when '-' then -1 else 1 end
    * (coalesce("part"[9]::int, 0) * 60 + coalesce("part"[10]::int, 0));
  return (("day" * 24 + coalesce("part"[4]::int, 0)) * 60 + coalesce("part"[5]::int, 0) - "zone") * 60000
    + coalesce("part"[6]::int, 0) * 1000 + rpad(left(coalesce("part"[7], ''), 3), 3, '0')::int;
end $$`
