import { AssistThread, ChangeTexts } from '../../core/assistant/assistant-request.ts'
import { inboxVisitorOf } from '../../core/projects/caller.ts'
import { AssistantStateAnswer, AssistedTextsAnswer, AssistedThreadAnswer } from '../answers/assistant.ts'
import { type KeyRoute, ok } from '../http/route.ts'

/** Answers and texts by a language model, where the operator has configured one. */
export const assistantRoutes: readonly KeyRoute[] = [
  {
    method: 'GET',
    path: '/assistant',
    operation: 'getAssistant',
    summary: 'Whether there is an assistant',
    description:
      'With the host that questions go to, the model, and what the project may use and has used today (UTC). Without one, `enabled` is false.',
    access: 'secret',
    gives: { 200: AssistantStateAnswer.schema },
    async handle(engine, { caller }) {
      return ok(AssistantStateAnswer.of(await engine.assistant.state(caller.project)))
    },
  },
  {
    method: 'POST',
    path: '/assistant/texts',
    operation: 'changeTexts',
    summary: 'Change texts of a mail, or propose subjects',
    description:
      'By the model of the assistant: shorter, friendlier or in another language. Nothing is stored. A text of which the model would lose a tag or a placeholder stays as it is. 404 when the assistant is off, 429 when the day is used up, 503 when there is no usable answer.',
    access: 'secret',
    area: 'templates',
    audit: 'never',
    body: 'json',
    takes: { body: ChangeTexts },
    gives: { 200: AssistedTextsAnswer.schema },
    examples: [
      {
        summary: 'What would be sent',
        body: { task: 'translate', language: 'de', texts: ['Hello {{ name }}'], preview: true },
      },
      {
        summary: 'Shorter',
        body: { task: 'shorter', texts: ['<b>Hello</b>, and welcome to all of you who are new here.'] },
      },
    ],
    async handle(engine, { caller, body }) {
      return ok(AssistedTextsAnswer.of(await engine.assistant.texts(caller.project, body)))
    },
  },
  {
    method: 'POST',
    path: '/threads/:id/assist',
    operation: 'assistThread',
    summary: 'Draft an answer with the assistant',
    description:
      'By the instructions of the inbox. The answer is a draft of the caller, which nothing sends by itself; what else is proposed is done only with `apply`, and only what the inbox allows. 404 when the assistant is off, 409 when it is off for this inbox, 429 when the day is used up, 503 when there is no usable answer.',
    access: 'secret',
    area: 'drafts',
    audit: 'people',
    body: 'json-or-nothing',
    takes: { body: AssistThread },
    gives: { 200: AssistedThreadAnswer.schema },
    examples: [
      { summary: 'What would be sent', body: { preview: true } },
      { summary: 'A draft', body: { wish: 'Friday at ten is fine.' } },
    ],
    async handle(engine, request) {
      const { caller, body } = request
      const id = request.param('id')
      return ok(
        AssistedThreadAnswer.of(await engine.assistant.assist(caller.project, id, body ?? {}, inboxVisitorOf(caller))),
      )
    },
  },
]
