import { type KeyRoute, ok } from '../route.ts'
import { emailDetailOnWire, emailOnWire, listOnWire } from '../wire.ts'

/** The ledger: every mail and its status. */
export const emailRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/emails',
    summary: 'List e-mails, newest first',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller, query }) {
      return ok(listOnWire(await engine.sending.list(caller.project, query), emailOnWire))
    },
  },
  {
    method: 'GET',
    path: '/emails/:id',
    summary: 'Get an e-mail with its words and its events',
    access: 'secret',
    answers: [200],
    async handle(engine, request) {
      return ok(emailDetailOnWire(await engine.sending.get(request.caller.project, request.param('id'))))
    },
  },
]
