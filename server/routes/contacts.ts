import { type KeyRoute, noContent, ok } from '../route.ts'
import { contactOnWire, listOnWire } from '../wire.ts'

/** The people of a project. */
export const contactRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/contacts',
    summary: 'List contacts',
    access: 'secret',
    answers: [200],
    async handle(engine, { caller, query }) {
      return ok(listOnWire(await engine.contacts.list(caller.project, query), contactOnWire))
    },
  },
  {
    method: 'POST',
    path: '/contacts',
    summary: 'Make a contact, or change the one of that address',
    access: 'secret',
    body: 'json',
    answers: [201, 200],
    async handle(engine, { caller, body }) {
      const { contact, isNew } = await engine.contacts.upsert(caller.project, body)
      const _meta = { isNew, isUpdate: !isNew }
      return { status: isNew ? 201 : 200, body: { ...contactOnWire(contact), _meta } }
    },
  },
  {
    method: 'GET',
    path: '/contacts/:id',
    summary: 'Get a contact',
    access: 'secret',
    answers: [200],
    async handle(engine, call) {
      return ok(contactOnWire(await engine.contacts.get(call.caller.project, call.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/contacts/:id',
    summary: 'Change a contact',
    access: 'secret',
    body: 'json',
    answers: [200],
    async handle(engine, call) {
      return ok(contactOnWire(await engine.contacts.change(call.caller.project, call.param('id'), call.body)))
    },
  },
  {
    method: 'DELETE',
    path: '/contacts/:id',
    summary: 'Delete a contact for good',
    access: 'secret',
    answers: [204],
    async handle(engine, call) {
      await engine.contacts.remove(call.caller.project, call.param('id'))
      return noContent
    },
  },
]
