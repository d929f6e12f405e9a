import { ChangeForm, CreateForm, ListSubmissions } from '../../core/subscriptions/forms/form.ts'
import { PageQuery } from '../../core/values/page.ts'
import { FormAnswer, SubmissionAnswer } from '../answers/forms.ts'
import { cursorList, listed, numbered, numberedList } from '../answers/lists.ts'
import { created, type KeyRoute, noContent, ok, versioned } from '../http/route.ts'

/** A project's sign-up forms. */
export const formRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/forms',
    operation: 'listForms',
    summary: 'List forms',
    description: 'Newest first, by page or by cursor, with how often each was shown, sent and confirmed.',
    access: 'secret',
    takes: { query: PageQuery },
    gives: { 200: numberedList('forms', FormAnswer.schema) },
    async handle(engine, { caller, query }) {
      return ok(numbered('forms', await engine.subscriptions.forms.list(caller.project, query), FormAnswer.of))
    },
  },
  {
    method: 'POST',
    path: '/forms',
    operation: 'createForm',
    summary: 'Create a form',
    description:
      'Its page is at `/f/{id}` at once. People who send it confirm by mail, unless `doubleOptIn` is false; the project needs a sender for that. A project has at most 50 forms.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateForm },
    gives: { 201: FormAnswer.schema },
    examples: [
      {
        body: {
          name: 'Footer of the shop',
          texts: { title: 'Our newsletter', intro: 'Once a month, what is new.', button: 'Sign up' },
          consent: 'Acme may mail me about new things. I can unsubscribe at any time: https://example.com/privacy',
          fields: [
            { type: 'text', key: 'firstName', label: 'First name' },
            { type: 'choice', key: 'plan', label: 'I am', options: ['a customer', 'curious'], required: true },
          ],
          doubleOptIn: false,
          origins: ['https://www.example.com'],
          redirectUrl: 'https://www.example.com/thanks',
        },
      },
    ],
    async handle(engine, { caller, body }) {
      return created(FormAnswer.of(await engine.subscriptions.forms.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/forms/:id',
    operation: 'getForm',
    summary: 'Get a form',
    description: 'With how often it was shown, sent and confirmed.',
    access: 'secret',
    gives: { 200: FormAnswer.schema },
    async handle(engine, request) {
      return versioned(FormAnswer.of(await engine.subscriptions.forms.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/forms/:id',
    operation: 'changeForm',
    summary: 'Change a form',
    description:
      'Its page and its script change at once; a copy of its HTML on another page does not. What was sent before keeps its consent.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeForm },
    gives: { 200: FormAnswer.schema },
    examples: [{ body: { active: false } }],
    async handle(engine, request) {
      const { caller, body } = request
      return versioned(
        FormAnswer.of(await engine.subscriptions.forms.change(caller.project, request.param('id'), body)),
      )
    },
  },
  {
    method: 'DELETE',
    path: '/forms/:id',
    operation: 'deleteForm',
    summary: 'Delete a form',
    description: 'Its page is gone. What was sent by it stays with its contacts, as proof of their consent.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.subscriptions.forms.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'GET',
    path: '/forms/:id/submissions',
    operation: 'listFormSubmissions',
    summary: 'List what was sent by a form',
    description:
      'The people behind the figures, newest first, each with the consent as it was then, the time and the IP address. `confirmed` narrows the list.',
    access: 'secret',
    takes: { query: ListSubmissions },
    gives: { 200: cursorList(SubmissionAnswer.schema) },
    async handle(engine, request) {
      const { caller, query } = request
      const page = await engine.subscriptions.forms.submissions(caller.project, request.param('id'), query)
      return ok(listed(page, SubmissionAnswer.of))
    },
  },
]
