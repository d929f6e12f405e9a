import { ListValues } from '../../core/contacts/contact-fields.ts'
import { ContactFields, DeletedFrom, FieldValues } from '../answers/contacts.ts'
import { FieldUsageAnswer } from '../answers/uses.ts'
import { type KeyRoute, ok } from '../http/route.ts'

/** The fields in a project's contact data. */
export const contactFieldRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/contacts/fields',
    operation: 'listContactFields',
    summary: 'List the fields of contacts',
    description: 'Shows each field with the type of its values and how many contacts have it.',
    access: 'secret',
    gives: { 200: ContactFields },
    async handle(engine, { caller }) {
      const { fields, total } = await engine.contacts.fields.list(caller.project)
      return ok({ fields, count: fields.length, total })
    },
  },
  {
    method: 'GET',
    path: '/contacts/fields/:field/values',
    operation: 'listFieldValues',
    summary: 'List the distinct values of a field',
    description:
      'For a choice in a form. Not for `email`, `createdAt` and `updatedAt`, which differ for every contact.',
    access: 'secret',
    takes: { query: ListValues },
    gives: { 200: FieldValues },
    examples: [{ query: { limit: 10 } }],
    async handle(engine, request) {
      const { field, values, limit } = await engine.contacts.fields.values(
        request.caller.project,
        request.param('field'),
        request.query,
      )
      return ok({ field, values, count: values.length, limit })
    },
  },
  {
    method: 'GET',
    path: '/contacts/fields/:field/usage',
    operation: 'getFieldUsage',
    summary: 'Find where a field is used',
    description: 'Lists the segments, campaigns, workflows and forms that use it, and whether it can be deleted.',
    access: 'secret',
    gives: { 200: FieldUsageAnswer.schema },
    async handle(engine, request) {
      const { fields } = engine.contacts
      return ok(FieldUsageAnswer.of(await fields.usage(request.caller.project, request.param('field'))))
    },
  },
  {
    method: 'DELETE',
    path: '/contacts/fields/:field',
    operation: 'deleteContactField',
    summary: 'Delete a field from every contact',
    description: 'Removes the key from the data of all contacts. 409 while something uses the field.',
    access: 'secret',
    gives: { 200: DeletedFrom },
    async handle(engine, request) {
      return ok({ deletedFrom: await engine.contacts.fields.remove(request.caller.project, request.param('field')) })
    },
  },
]
