/**
 * The trigger that writes events into the outbox when a workflow starts with them, an execution of their contact waits
 * for them, or their project has an endpoint. Where no workflow or endpoint waits, it costs three look-ups in small
 * indexes. Which events an endpoint wants is checked later.
 */
export const OUTBOX_TRIGGERS: readonly string[] = [untold()]

/** The trigger that also writes events that are the goal of a workflow; instead of the earlier one. */
export const OUTBOX_WITH_GOALS: readonly string[] = [
  'drop trigger "events_untold"',
  untold(`or exists (select 1 from "workflows" where "project_id" = new."project_id" and "goal_event" is not null
        and "goal_event" = new."name")`),
]

function untold(more = ''): string {
  return `create trigger "events_untold" after insert on "events"
    when exists (select 1 from "workflows" where "project_id" = new."project_id" and "event_name" = new."name"
        and "enabled" and "trigger_type" = 'EVENT')
      or exists (select 1 from "webhook_endpoints" where "project_id" = new."project_id" and "enabled")
      or exists (select 1 from "workflow_executions" where "contact_id" = new."contact_id" and "waiting_for" = new."name"
        and "status" = 'WAITING')
      ${more}
    begin
      insert into "untold_events" ("id", "project_id", "name", "contact_id", "created_at")
        values (new."id", new."project_id", new."name", new."contact_id", new."created_at");
    end`
}
