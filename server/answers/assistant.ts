import * as v from 'valibot'
import type { AssistantState, AssistedTexts, AssistedThread } from '../../core/assistant/assistant.ts'
import { DROP_REASONS } from '../../core/assistant/thread-question.ts'
import { ASSISTANT_ACTIONS } from '../../core/ports/store/inboxes.ts'
import { answer } from './answer.ts'
import { InboxDraftAnswer } from './inboxes.ts'
import { Count, many } from './parts.ts'

const Amounts = v.object({ requests: Count, tokens: Count })

export const AssistantStateAnswer = answer(
  'AssistantState',
  {
    enabled: v.boolean(),
    host: v.optional(v.string()),
    model: v.optional(v.string()),
    daily: v.optional(Amounts),
    used: v.optional(Amounts),
  },
  (state: AssistantState) => state,
)

const SentQuestionAnswer = answer('SentQuestion', { host: v.string(), model: v.string(), request: v.string() })

const AdvisedActionAnswer = answer('AdvisedAction', {
  type: v.picklist(ASSISTANT_ACTIONS),
  label: v.optional(v.string()),
  assigneeId: v.optional(v.string()),
  applied: v.boolean(),
})
const DroppedActionAnswer = answer('DroppedAction', { action: v.string(), reason: v.picklist(DROP_REASONS) })

export const AssistedThreadAnswer = answer(
  'AssistedThread',
  {
    draft: v.nullable(InboxDraftAnswer.schema),
    reason: v.nullable(v.string()),
    actions: many(AdvisedActionAnswer.schema),
    dropped: many(DroppedActionAnswer.schema),
    tokens: v.nullable(Count),
    sent: SentQuestionAnswer.schema,
  },
  ({ draft, actions, dropped, sent, ...rest }: AssistedThread) => ({
    ...rest,
    draft: draft === null ? null : InboxDraftAnswer.of(draft),
    actions: actions.map(AdvisedActionAnswer.of),
    dropped: dropped.map(DroppedActionAnswer.of),
    sent: SentQuestionAnswer.of(sent),
  }),
)

export const AssistedTextsAnswer = answer(
  'AssistedTexts',
  {
    texts: many(v.string()),
    kept: many(Count),
    tokens: v.nullable(Count),
    sent: SentQuestionAnswer.schema,
  },
  ({ sent, ...rest }: AssistedTexts) => ({ ...rest, sent: SentQuestionAnswer.of(sent) }),
)
