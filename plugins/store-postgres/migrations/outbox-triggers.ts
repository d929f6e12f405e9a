/**
 * The trigger that writes events into the outbox, once for each statement: events that start a workflow, that an
 * execution of their contact waits for, or of a project with an endpoint. Where no workflow or endpoint waits, it costs
 * look-ups in small indexes. Which events an endpoint wants is checked later.
 */
export const OUTBOX_TRIGGERS: readonly string[] = [
  untold('create'),
  `create trigger "events_untold" after insert on "events" referencing new table as "added"
    for each statement execute function "mailwright_events_untold"()`,
]

/** The function of the trigger, which also writes events that are the goal of a workflow; instead of the earlier one. */
export const OUTBOX_WITH_GOALS = untold(
  'create or replace',
  `or (select true from %1$I."workflows" as g where g."project_id" = a."project_id"
              and g."goal_event" is not null and g."goal_event" = a."name" limit 1)`,
)

/**
 * The function avoids `exists`, whose plan might scan a whole table that was small when the plan was made. Its tables are
 * in its own schema, `%1$I`, whatever the writer's search path.
 */
function untold(create: string, more = ''): string {
  return `do $make$ begin
    execute format($function$
      ${create} function "mailwright_events_untold"() returns trigger language plpgsql as $$ begin
        insert into %1$I."untold_events" ("id", "project_id", "name", "contact_id", "created_at")
          select a."id", a."project_id", a."name", a."contact_id", a."created_at" from "added" as a
          where (select true from %1$I."workflows" as w where w."project_id" = a."project_id"
              and w."event_name" = a."name" and w."enabled" and w."trigger_type" = 'EVENT' limit 1)
            or (select true from %1$I."webhook_endpoints" as e where e."project_id" = a."project_id" and e."enabled" limit 1)
            or (select true from %1$I."workflow_executions" as x where x."contact_id" = a."contact_id"
              and x."waiting_for" = a."name" and x."status" = 'WAITING' limit 1)
            ${more};
        return null;
      end $$ $function$, current_schema());
  end $make$`
}
