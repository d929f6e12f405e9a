import * as v from 'valibot'
import type { Kit } from '../kit.ts'
import { htmlToText } from '../mail/render/plain-text.ts'
import type { MailMessage, Mails } from '../mails/mails.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { MailWords, SearchTerm } from '../ports/store/mail-words.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { FOLDERS, type Folder, type Thread, type ThreadMail } from '../ports/store/threads.ts'
import type { InboxVisitor } from '../projects/caller.ts'
import { ENGINE } from '../templates/versions.ts'
import { decodeWords } from '../values/decoded-words.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { wholeNumber } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { type ExcerptPart, excerptOf } from './excerpt.ts'
import { isSeenBy, namedInbox, readerOf, seenBy } from './inbox.ts'
import { mendIndex } from './mend-index.ts'
import { MOST_TEXT, scopeOf, termsOf, wordsOf } from './search-query.ts'

/** How many mails are read and indexed at once. */
const AT_ONCE = 50
/** How many mails are ranked for one search, among the newest that fit. */
const MOST_RANKED = 200
/** How many threads a search answers at most. */
const MOST_FOUND = 50
/** How many bytes of texts are read for the excerpts of one search: the mails that fit best have them. */
const MOST_READ = 8_000_000
/** The folders that are looked at without a word. */
const USUAL: readonly Folder[] = ['inbox', 'archive', 'sent']

/** A place where a text of ours is filled in. */
const FIELD = /\{[{%]/

export const SearchThreads = v.object({
  /** Words, "phrases" and beginnings*, 1 to 500 characters: a mail of the thread has them all. */
  q: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500)),
  /** Only in this inbox. */
  inboxId: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
  /** Only in this folder; by default all but `spam` and `trash`. */
  folder: v.optional(v.picklist([...FOLDERS, 'all'] as const), 'all'),
  /** How many threads at most, 1 to 50, by default 20. */
  limit: v.optional(wholeNumber(1, MOST_FOUND), 20),
})

/** The words to look for, and where. */
export interface SearchThreadsInput extends InputOf<typeof SearchThreads> {}

/** A thread that was found. */
export interface FoundThread {
  /** The thread. */
  readonly thread: Thread
  /** Whether it has messages that the caller has not read. */
  readonly unread: boolean
  /** The id of the message that fits best. */
  readonly messageId: string
  /** The part of its text in which the words stand; absent where they stand elsewhere, such as in the subject. */
  readonly excerpt?: readonly ExcerptPart[]
}

/** Finds mail in inboxes by its words, and keeps the index of them. `by` is who asks: see `Inboxes`. */
export class InboxSearch {
  constructor(
    private readonly store: Store,
    private readonly mails: Mails,
    private readonly kit: Kit,
  ) {}

  /**
   * The threads with a mail that has all words, the best first: in the subject counts most, then people, files and the text.
   * Mail can be found some seconds after it came. Throws EngineError `VALIDATION_ERROR`, `INBOX_NOT_FOUND`,
   * `SERVICE_UNAVAILABLE` when it takes too long.
   */
  async find(
    project: Project,
    query: SearchThreadsInput | UntrustedInput,
    by: InboxVisitor = ENGINE,
  ): Promise<readonly FoundThread[]> {
    const { q, inboxId, folder, limit } = parse(SearchThreads, query)
    const inbox = inboxId === undefined ? undefined : await namedInbox(this.store, project.id, inboxId, by)
    const inboxIds = inbox ? [inbox.id] : seenBy(by).ids
    const terms = termsOf(q)
    if (terms.length === 0) return []
    const scopes = inboxIds === undefined ? [scopeOf.project(project.id)] : inboxIds.map(scopeOf.inbox)
    const folders = folder === 'all' ? USUAL : [folder]
    const search = { terms, scopes, folders, ...(inboxIds === undefined ? undefined : { inboxIds }) }
    const mails = await this.store.mailWords.search(project.id, search, MOST_RANKED)
    const seen = new Map<string, boolean>()
    const found: FoundThread[] = []
    const known = new Set<string>()
    for (const { threadId, emailId, inboxId } of mails) {
      if (known.has(threadId) || found.length === limit) continue
      known.add(threadId)
      if (!seen.has(inboxId)) {
        const its = await this.store.inboxes.find(project.id, inboxId)
        seen.set(inboxId, its !== undefined && isSeenBy(its, by))
      }
      const thread = seen.get(inboxId) ? await this.store.threads.find(project.id, threadId) : undefined
      if (thread) found.push({ thread, unread: true, messageId: emailId })
    }
    const ids = found.map(({ thread }) => thread.id)
    const reads = await this.store.threads.reads(project.id, ids, readerOf(by))
    const messageIds = found.map(({ messageId }) => messageId)
    const excerpts = await this.#excerpts(project, messageIds, terms)
    return found.map((each) => {
      const readAt = reads.get(each.thread.id)
      const excerpt = excerpts.get(each.messageId)
      const unread = readAt === undefined || readAt < each.thread.lastMessageAt
      return { ...each, unread, ...(excerpt === undefined ? undefined : { excerpt }) }
    })
  }

  /** Excerpts of the texts as they were written; one with fields that were filled in has none. */
  async #excerpts(project: Project, ids: readonly string[], terms: readonly SearchTerm[]) {
    const excerpts = new Map<string, readonly ExcerptPart[]>()
    for (const [id, mail] of await this.store.mailWords.texts(project.id, ids, MOST_READ)) {
      const { text, isHtml, received } = mail
      const excerpt = excerptOf(isHtml ? htmlToText(text.slice(0, MOST_TEXT)) : text, terms)
      if (excerpt && (received || !excerpt.some((part) => FIELD.test(part.text)))) excerpts.set(id, excerpt)
      await yieldToLoop()
    }
    return excerpts
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    return [
      { name: 'index mail of inboxes', cron: '*/2 * * * * *', run: (signal) => this.index(signal) },
      { name: 'mend the index of inboxes', cron: '47 4 * * *', run: (signal) => this.mend(signal) },
    ]
  }

  /** Puts what came in or was sent into the index, until nothing is missing. */
  async index(signal: AbortSignal): Promise<void> {
    for (let isMore = true; isMore && !signal.aborted; ) {
      const missing = await this.store.mailWords.missing(AT_ONCE)
      for (const [projectId, own] of Map.groupBy(missing, (mail) => mail.projectId)) {
        const project = await this.store.projects.find(projectId)
        if (project) await this.store.mailWords.put(await this.#words(project, own), this.kit.now())
      }
      isMore = missing.length === AT_ONCE
      await yieldToLoop()
    }
  }

  /** Notes what should be in the index and is not, so that it is put there. */
  async mend(signal: AbortSignal): Promise<void> {
    const lost = await mendIndex(this.store, signal)
    if (lost > 0) this.kit.log.warn('mails of inboxes were not in the index, and are put there', { lost })
  }

  async #words(project: Project, mails: readonly ThreadMail[]): Promise<readonly MailWords[]> {
    const ids = [...new Set(mails.map(({ emailId }) => emailId))]
    const messages = new Map((await this.mails.messages(project, ids)).map((message) => [message.email.id, message]))
    const sent = [...messages.values()].flatMap(({ email, received }) => (received ? [] : email.contentId))
    const files = new Map((await this.store.emails.contents(sent)).map(({ id, attachments }) => [id, attachments]))
    const words: MailWords[] = []
    for (const emailId of ids) {
      // a mail that another process has put into one more inbox meanwhile is missing again
      const inboxes = (await this.store.threadMails.of(project.id, emailId)).map(({ inboxId }) => inboxId)
      const scope = [scopeOf.project(project.id), ...inboxes.map(scopeOf.inbox)].join(' ')
      const message = messages.get(emailId)
      const names = (message?.received?.attachments ?? files.get(message?.email.contentId ?? '') ?? []).map(nameOf)
      words.push({ emailId, projectId: project.id, scope, ...textsOf(message, names) })
      await yieldToLoop()
    }
    return words
  }
}

/** The words of a message; none of one whose text was removed. */
function textsOf(
  message: MailMessage | undefined,
  files: readonly string[],
): Pick<MailWords, 'subject' | 'people' | 'body' | 'files'> {
  const joined = (...texts: readonly (string | undefined)[]) => wordsOf(texts.join(' ')).join(' ')
  if (message?.text === undefined && message?.html === undefined) {
    return { subject: '', people: '', body: '', files: '' }
  }
  const { subject, text, html = '', from, email, addressed, received } = message
  const listed = ['to', 'cc'].flatMap((name) => [received?.headers[name] ?? []].flat().map(decodeWords))
  const others = [...(addressed?.alsoTo ?? []), ...(addressed?.cc ?? [])].flatMap((who) => [who.email, who.name])
  const recipients = received ? listed : [email.to, email.toName, ...others]
  return {
    subject: joined(subject),
    people: joined(from.email, from.name, ...recipients),
    body: joined(text ?? html.replace(/<[^<>]{0,2000}>/g, ' ')),
    files: joined(...files),
  }
}

function nameOf({ filename }: { readonly filename: string }): string {
  return filename
}
