import type { Words } from './words.ts'

/** The assistant: answers and texts by a language model. */
export const assistantWords: Words = {
  schemas: {
    AssistantState: 'Whether there is an assistant, and how far it may go today.',
    SentQuestion: 'What goes to the model of the assistant, and where.',
    AdvisedAction: 'Something that the assistant proposes, and that the inbox allows.',
    DroppedAction: 'Something that the model proposed, and that nothing comes of.',
    AssistedThread: 'The answer of the assistant about a thread.',
    AssistedTexts: 'The answer of the assistant about texts.',
    InboxAssistant: 'How the assistant works in an inbox.',
  },
  fields: {
    'InboxAssistant.instructions':
      'What it should know and keep to, at most 5,000 characters: facts, rules, what not to promise.',
    'InboxAssistant.tone': 'How it should write, at most 200 characters, such as `short and warm`.',
    'InboxAssistant.actions':
      'What it may propose: `draft` (an answer), `label`, `assign`, `archive` and `spam`. All else is dropped.',
    'InboxAssistant.assignees': 'The users that it may assign threads to, at most 20.',
    'assignees.id': 'The id of the user.',
    'assignees.for': 'What this user takes care of, for the model, such as `invoices`.',
    'assistant.instructions':
      'What it should know and keep to, at most 5,000 characters: facts, rules, what not to promise.',
    'assistant.tone': 'How it should write, at most 200 characters, such as `short and warm`.',
    'assistant.actions':
      'What it may propose: `draft` (an answer), `label`, `assign`, `archive` and `spam`. All else is dropped.',
    'assistant.assignees': 'The users that it may assign threads to, at most 20.',
    'assistant.assignees.id': 'The id of the user.',
    'assistant.assignees.for': 'What this user takes care of, for the model, such as `invoices`.',
    'AssistantState.enabled': 'false: the configuration of the server has no assistant, and the rest is absent.',
    'AssistantState.host': 'The host that questions go to.',
    'AssistantState.model': 'The name of the model.',
    'AssistantState.daily': 'The most that this project may use in a day (UTC).',
    'AssistantState.used': 'What this project has used today, with what is put aside for requests under way.',
    'daily.requests': 'Requests to the model.',
    'daily.tokens': 'Tokens of questions and answers together.',
    'used.requests': 'Requests to the model, answered or not.',
    'used.tokens':
      'Tokens of questions and answers together, as the endpoint counts them, or estimated where it does not.',
    'SentQuestion.host': 'The host that it goes to.',
    'SentQuestion.model': 'The name of the model.',
    'SentQuestion.request': 'The whole body of the request as it is sent, as JSON; the key is not in it.',
    'AdvisedAction.type': 'The action.',
    'AdvisedAction.label': 'Of `label`: a label of the inbox.',
    'AdvisedAction.assigneeId': 'Of `assign`: one of the users that the inbox names for it.',
    'AdvisedAction.applied': 'Whether it was done, as `apply` asked.',
    'DroppedAction.action': 'Its name, as the model wrote it.',
    'DroppedAction.reason':
      'Why: it is no action (`unknown`), the inbox does not allow it (`not-allowed`), it has no such label or assignee, it is so already, or there were too many.',
    'assistThread.messageId': 'The message to answer: one of the newest 10. By default the newest from outside.',
    'assistThread.wish': 'What the answer should say, in your words, at most 2,000 characters.',
    'assistThread.apply':
      'Whether what is proposed and allowed is done at once; by default it is only answered. Needs the right `organise`.',
    'assistThread.preview': 'true: nothing goes to the model, and `sent` is what would.',
    'AssistedThread.draft': 'The draft that was made; null when no answer is due.',
    'AssistedThread.reason': 'Why, in the words of the model.',
    'AssistedThread.actions': 'What else it proposes, and the inbox allows.',
    'AssistedThread.dropped': 'What it proposed besides.',
    'AssistedThread.tokens': 'How many tokens were counted; null with `preview`.',
    'AssistedThread.sent': 'What went to the model, or would.',
    'changeTexts.task':
      '`shorter`, `friendlier`, `translate` (needs `language`), or `subjects`: up to five subjects for the mail that has these texts.',
    'changeTexts.texts':
      'Pieces of one mail with their inline HTML and placeholders: 1 to 200, each at most 20,000 and together at most 60,000 characters.',
    'changeTexts.language': 'For `translate`: the language.',
    'changeTexts.preview': 'true: nothing goes to the model, and `sent` is what would.',
    'AssistedTexts.texts': 'The texts in the order in which they were given, or the subjects; empty with `preview`.',
    'AssistedTexts.kept':
      'The places of texts that stay as they were, since the model would have lost a tag or a placeholder; the first is 0.',
    'AssistedTexts.tokens': 'How many tokens were counted; null with `preview`.',
    'AssistedTexts.sent': 'What went to the model, or would.',
  },
}
