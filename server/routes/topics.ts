import { ChangeTopic, ChooseTopics, CreateTopic } from '../../core/subscriptions/topic.ts'
import { ContactTopicsAnswer, TopicAnswer, TopicList } from '../answers/topics.ts'
import { created, type KeyRoute, noContent, ok } from '../http/route.ts'
import { EXAMPLE_IDS } from '../openapi/example-ids.ts'

/** A project's topics, and what contacts choose. */
export const topicRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/topics',
    operation: 'listTopics',
    summary: 'List topics',
    description: 'All of them, at most 50, the oldest first.',
    access: 'secret',
    gives: { 200: TopicList },
    async handle(engine, { caller }) {
      return ok({ data: (await engine.subscriptions.topics.list(caller.project)).map(TopicAnswer.of) })
    },
  },
  {
    method: 'POST',
    path: '/topics',
    operation: 'createTopic',
    summary: 'Create a topic',
    description:
      'Campaigns and marketing templates name it with `topicId`. A project has at most 50. Without a slug it gets one made from its name.',
    access: 'secret',
    body: 'json',
    takes: { body: CreateTopic },
    gives: { 201: TopicAnswer.schema },
    examples: [{ body: { name: 'Product news', description: 'What is new, once a month.', standing: 'out' } }],
    async handle(engine, { caller, body }) {
      return created(TopicAnswer.of(await engine.subscriptions.topics.create(caller.project, body)))
    },
  },
  {
    method: 'GET',
    path: '/topics/:id',
    operation: 'getTopic',
    summary: 'Get a topic',
    description: 'By its id or its slug.',
    access: 'secret',
    gives: { 200: TopicAnswer.schema },
    async handle(engine, request) {
      return ok(TopicAnswer.of(await engine.subscriptions.topics.get(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PATCH',
    path: '/topics/:id',
    operation: 'changeTopic',
    summary: 'Change a topic',
    description:
      'Another `standing` decides at once for contacts who never chose. What contacts chose stays. Another `slug` is refused with 409 while something names the topic, unless `rename` is true.',
    access: 'secret',
    body: 'json',
    takes: { body: ChangeTopic },
    gives: { 200: TopicAnswer.schema },
    examples: [{ body: { description: 'What is new, twice a month.' } }],
    async handle(engine, request) {
      const { caller, body } = request
      return ok(TopicAnswer.of(await engine.subscriptions.topics.change(caller.project, request.param('id'), body)))
    },
  },
  {
    method: 'DELETE',
    path: '/topics/:id',
    operation: 'deleteTopic',
    summary: 'Delete a topic',
    description:
      'With what contacts chose for it. 409 while a template, a draft, a form or a campaign that is not finished has it, or a filter names it; `archived` puts it away instead.',
    access: 'secret',
    gives: { 204: null },
    async handle(engine, request) {
      await engine.subscriptions.topics.remove(request.caller.project, request.param('id'))
      return noContent
    },
  },
  {
    method: 'GET',
    path: '/contacts/:id/topics',
    operation: 'getContactTopics',
    summary: 'Get what a contact has chosen',
    description:
      'By the id or the address of the contact: for each topic whether it gets the mail, and when, where and to which words it agreed.',
    access: 'secret',
    gives: { 200: ContactTopicsAnswer.schema },
    async handle(engine, request) {
      const { topics } = engine.subscriptions
      return ok(ContactTopicsAnswer.of(await topics.ofContact(request.caller.project, request.param('id'))))
    },
  },
  {
    method: 'PUT',
    path: '/contacts/:id/topics',
    operation: 'chooseTopics',
    audit: 'people',
    summary: 'Choose topics for a contact',
    description:
      'Topics that are not named stay as they are, and so does `subscribed` of the contact. Each change makes an event `contact.subscribed` or `contact.unsubscribed` with `topicId` and `topic`.',
    access: 'secret',
    body: 'json',
    takes: { body: ChooseTopics },
    gives: { 200: ContactTopicsAnswer.schema },
    examples: [
      { body: { topics: [{ topic: EXAMPLE_IDS.topic, subscribed: true, text: 'Yes, send me product news.' }] } },
    ],
    async handle(engine, request) {
      const { caller, body } = request
      const source = caller.kind === 'member' ? 'dashboard' : 'api'
      const { topics } = engine.subscriptions
      return ok(ContactTopicsAnswer.of(await topics.choose(caller.project, request.param('id'), body, source)))
    },
  },
]
