import { inject, injectable } from '../di.ts'
import { EngineError, invalidField } from '../errors.ts'
import { DispatchTrigger } from '../events/dispatch-trigger.ts'
import { requireRight } from '../inboxes/inbox.ts'
import { Inboxes } from '../inboxes/inboxes.ts'
import { insertDraft, newDraft } from '../inboxes/new-draft.ts'
import { changeThread, lockThread } from '../inboxes/thread-changes.ts'
import { Kit } from '../kit.ts'
import { escapeHtml } from '../mail/render/printed.ts'
import { Mails } from '../mails/mails.ts'
import { type DailyBudget, ModelSocket } from '../ports/language-model.ts'
import type { InboxDraft } from '../ports/store/drafts.ts'
import type { Project } from '../ports/store/projects.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { InboxVisitor } from '../projects/caller.ts'
import { requireEnabled } from '../projects/project.ts'
import { ENGINE } from '../templates/versions.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { askModel, requireModel, type SentQuestion, sentTo } from './ask-model.ts'
import {
  AssistThread,
  type AssistThreadInput,
  ChangeTexts,
  type ChangeTextsInput,
  textRules,
} from './assistant-request.ts'
import { type DailyUse, usedToday } from './budget.ts'
import { changeOf } from './change-of.ts'
import { type ChangedTexts, readTexts, textQuestion } from './text-question.ts'
import { type DroppedAction, type ProposedAction, readAdvice, threadQuestion } from './thread-question.ts'

/** How many messages of a thread are looked at, the newest first. */
const MOST_MESSAGES = 10
/** How long a reason of a draft is. */
const LONGEST_REASON = 2_000

/** Whether there is an assistant, and how far it may go today. */
export interface AssistantState {
  /** False: the configuration has none, and the rest is absent. */
  readonly enabled: boolean
  /** The host that questions go to. */
  readonly host?: string
  /** The name of the model. */
  readonly model?: string
  /** The most that a project may use in a day (UTC). */
  readonly daily?: DailyBudget
  /** The use of this project today. */
  readonly used?: DailyUse
}

/** An action that the model has proposed and the inbox allows. */
export type AdvisedAction = ProposedAction & {
  /** Whether it was done. */
  readonly applied: boolean
}

/** The answer of the assistant about a thread. */
export interface AssistedThread {
  /** The question that goes to the model, or would. */
  readonly sent: SentQuestion
  /** The draft that was made; null when no answer is due, or with `preview`. */
  readonly draft: InboxDraft | null
  /** Why the model proposes this, in its words. */
  readonly reason: string | null
  /** Its proposals that the inbox allows. */
  readonly actions: readonly AdvisedAction[]
  /** Its other proposals, and why nothing comes of them. */
  readonly dropped: readonly DroppedAction[]
  /** How many tokens were counted; null with `preview`. */
  readonly tokens: number | null
}

/** The answer of the assistant about texts. */
export interface AssistedTexts extends ChangedTexts {
  /** The question that goes to the model, or would. */
  readonly sent: SentQuestion
  /** How many tokens were counted; null with `preview`. */
  readonly tokens: number | null
}

/**
 * Drafts answers and changes texts by a language model, which the operator has to configure. It never sends: an answer is a draft of
 * the caller, under the caller's rights and approval. Mail is data: what a model makes of it is read by a schema, and only what the
 * inbox allows is left.
 */
@injectable()
export class Assistant {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Inboxes) private readonly inboxes: Inboxes,
    @inject(Mails) private readonly mails: Mails,
    @inject(ModelSocket) private readonly socket: ModelSocket,
    @inject(DispatchTrigger) private readonly dispatch: DispatchTrigger,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Whether there is an assistant, and what the project has used of its day. */
  async state(project: Project): Promise<AssistantState> {
    const { model } = this.socket
    if (model === undefined) return { enabled: false }
    const used = await usedToday(this.store, this.kit.now(), project.id)
    return { enabled: true, host: model.host, model: model.model, daily: model.daily, used }
  }

  /**
   * Drafts an answer in a thread by the instructions of its inbox, and proposes what happens to the thread. With `apply`, what is
   * proposed and allowed is done. Throws EngineError `RESOURCE_NOT_FOUND` when the assistant is off, `CONFLICT` when it is off for this
   * inbox, `THREAD_NOT_FOUND`, `VALIDATION_ERROR`, `QUOTA_EXCEEDED`, `SERVICE_UNAVAILABLE` without a usable answer, `FORBIDDEN`,
   * `PROJECT_DISABLED`; then nothing is made.
   */
  async assist(
    project: Project,
    threadId: string,
    input: AssistThreadInput | UntrustedInput = {},
    by: InboxVisitor = ENGINE,
    signal: AbortSignal = NEVER,
  ): Promise<AssistedThread> {
    requireEnabled(project)
    const { messageId, wish, apply, preview } = parse(AssistThread, input)
    const model = requireModel(this.socket)
    requireRight(by, 'draft')
    if (apply) requireRight(by, 'organise')
    const { thread } = await this.inboxes.threads.get(project, threadId, by)
    const { inbox } = await this.inboxes.get(project, thread.inboxId, by)
    const settings = inbox.assistant
    if (settings === undefined) throw offHere(inbox.name)
    const { items } = await this.inboxes.threads.messages(project, threadId, { limit: MOST_MESSAGES }, by)
    const at = items.findIndex(({ email, incoming }) => (messageId == null ? incoming : email.id === messageId))
    const answered = items[at]
    if (answered === undefined) {
      const message = `is none of the newest ${MOST_MESSAGES} messages of the thread`
      if (messageId != null) throw invalidField('messageId', 'custom', message)
      throw new EngineError(
        'CONFLICT',
        'There is nothing to answer: no newer message of this thread came from outside.',
      )
    }
    const question = threadQuestion(inbox, settings, thread, items.slice(at), wish ?? undefined)
    const sent = sentTo(model, question)
    if (preview) return { sent, draft: null, reason: null, actions: [], dropped: [], tokens: null }
    const asking = { store: this.store, kit: this.kit, model }
    const { text, tokens } = await askModel(asking, project, question, signal)
    // others may have changed all of it while the model wrote
    const { thread: after } = await this.inboxes.threads.get(project, threadId, by)
    const { inbox: now } = await this.inboxes.get(project, inbox.id, by)
    if (now.assistant === undefined) throw offHere(now.name)
    const allowed = now.assistant
    const { reply, reason, ...read } = readAdvice(text, now, allowed, after)
    let { actions, dropped } = read
    const organise = async (tx: Repositories) => {
      const locked = await lockThread(tx, project.id, inbox.id, threadId)
      ;({ actions, dropped } = readAdvice(text, locked.inbox, allowed, locked.thread))
      if (actions.length > 0) await changeThread(tx, locked, changeOf(locked.thread.labels, actions), this.kit)
    }
    const answer = {
      kind: 'reply' as const,
      messageId: answered.email.id,
      body: paragraphs(reply ?? ''),
      reason: (reason ?? '').slice(0, LONGEST_REASON),
    }
    const made =
      reply === null
        ? null
        : await newDraft({ store: this.store, mails: this.mails, kit: this.kit }, project, inbox.id, answer, by)
    const organises = apply && actions.length > 0
    await this.store.transaction(async (tx) => {
      if (organises) await organise(tx)
      if (made) await insertDraft(tx, made)
    })
    if (organises) this.dispatch.ask()
    return {
      sent,
      draft: made?.draft ?? null,
      reason,
      actions: actions.map((each) => ({ ...each, applied: apply })),
      dropped,
      tokens,
    }
  }

  /**
   * Changes texts of a mail: shorter, friendlier, in another language; or proposes subjects. Nothing is stored. Throws EngineError
   * `RESOURCE_NOT_FOUND` when the assistant is off, `VALIDATION_ERROR`, `QUOTA_EXCEEDED`, `SERVICE_UNAVAILABLE`, `PROJECT_DISABLED`.
   */
  async texts(
    project: Project,
    input: ChangeTextsInput | UntrustedInput,
    signal: AbortSignal = NEVER,
  ): Promise<AssistedTexts> {
    requireEnabled(project)
    const { task, texts, language, preview } = parse(ChangeTexts, input, textRules)
    const model = requireModel(this.socket)
    const question = textQuestion(task, texts, language ?? undefined)
    const sent = sentTo(model, question)
    if (preview) return { sent, texts: [], kept: [], tokens: null }
    const asking = { store: this.store, kit: this.kit, model }
    const { text, tokens } = await askModel(asking, project, question, signal)
    return { sent, ...readTexts(task, texts, text), tokens }
  }
}

const NEVER = new AbortController().signal

function offHere(name: string): EngineError {
  return new EngineError('CONFLICT', `The assistant is off for the inbox ${JSON.stringify(name)}.`, {
    suggestion: 'A member with the role ADMIN turns it on by the field assistant of the inbox.',
  })
}

/** Plain text as the HTML of a draft. */
function paragraphs(text: string): string {
  const parts = text.split(/\n\s*\n/).map((part) => part.trim())
  return parts.map((part) => `<p>${escapeHtml(part).replaceAll('\n', '<br>')}</p>`).join('\n')
}
