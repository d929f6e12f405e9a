import { NotePresence } from '../../core/accounts/presence.ts'
import { PresenceRecord, PresentAnswer } from '../answers/presence.ts'
import { type KeyRoute, ok } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** Who has what open just now. */
export const presenceRoutes: readonly KeyRoute[] = [
  {
    method: 'PUT',
    path: '/presence',
    operation: 'notePresence',
    summary: 'Note that you have something open, and see who else has',
    description:
      'For pages where people edit: ask every 15 seconds while the page has the focus. 40 seconds after the last time, or with `left`, it counts as closed. A key is answered, but not noted. Nothing is kept.',
    access: 'secret',
    area: 'read',
    audit: 'never',
    quiet: true,
    body: 'json',
    takes: { body: NotePresence },
    gives: { 200: PresenceRecord },
    examples: [{ body: { kind: 'campaigns', id: EXAMPLE_IDS.campaign, tab: 'tab-4f1c9a' } }],
    async handle(engine, { caller, body }) {
      return ok({ present: (await engine.accounts.presence.note(caller, body)).map(PresentAnswer.of) })
    },
  },
]
