import type { Project } from '../ports/store/projects.ts'
import type { JsonObject } from '../values/json.ts'

/** Accepts the mails that hooks ask for: the room of mails does it, which comes after this one. */
export interface AcceptMail {
  /** As `engine.sending.send`. */
  send(project: Project, mail: JsonObject, options: { readonly idempotencyKey: string }): Promise<unknown>
}
export const AcceptMail = Symbol('AcceptMail')
