import type { ProjectId } from '../../values/project-id.ts'
import type { Folder, ThreadMail } from './threads.ts'

/** The words of a mail in inboxes, by which it is found: in lower case, without accents, a space between two. */
export interface MailWords {
  /** The e-mail record. */
  readonly emailId: string
  /** The project that it belongs to. */
  readonly projectId: ProjectId
  /** A word for the project and one for each inbox that has the mail. */
  readonly scope: string
  /** The words of the subject. */
  readonly subject: string
  /** Those of the names and addresses of its author and recipients. */
  readonly people: string
  /** Those of its text. */
  readonly body: string
  /** Those of the names of its files. */
  readonly files: string
}

/** A word or a phrase to look for. */
export interface SearchTerm {
  /** The words, one after the other. */
  readonly words: readonly string[]
  /** True: the last one may go on. */
  readonly isBeginning: boolean
}

/** Which mails of inboxes are looked for. */
export interface WordSearch {
  /** All of these have to be in a mail. */
  readonly terms: readonly SearchTerm[]
  /** Words of `MailWords.scope`, one of which it has to have. */
  readonly scopes: readonly string[]
  /** Only in these inboxes. */
  readonly inboxIds?: readonly string[]
  /** Only in threads in these folders. */
  readonly folders: readonly Folder[]
}

/** A mail that was found, the thread that it is in, and how well it fits: the higher, the better. */
export interface FoundMail extends Pick<ThreadMail, 'threadId' | 'emailId' | 'inboxId' | 'at'> {
  /** How well it fits. */
  readonly score: number
}

/** The words of a mail as they were written. */
export interface MailText {
  /** Its plain-text part, or its HTML where that is absent or empty. */
  readonly text: string
  /** Whether `text` is HTML. */
  readonly isHtml: boolean
  /** Whether it came from outside; texts of ours are templates. */
  readonly received: boolean
}

/** A part of the mails of threads that were compared with the index. */
export interface Mended {
  /** How many were not there. */
  readonly lost: number
  /** The last mail that was looked at, by its id; undefined at the end. */
  readonly last?: string
}

/** The index of the mails in inboxes. It is written after the mails, by the records themselves. */
export interface MailWordsRepository {
  /** Up to `limit` mails of threads that are not in the index yet, the newest first. */
  missing(limit: number): Promise<readonly ThreadMail[]>
  /** Writes the words of mails, and notes that their threads' mails are in the index. */
  put(words: readonly MailWords[], now: Date): Promise<void>
  /**
   * Up to `limit` of the best among the newest mails of a project that fit; those in which a word goes on only where fewer than
   * `limit` have it as it is. Throws EngineError `SERVICE_UNAVAILABLE` when it takes too long.
   */
  search(projectId: ProjectId, search: WordSearch, limit: number): Promise<readonly FoundMail[]>
  /**
   * The words of these mails of a project by their ids, the first of them that fit into `maxBytes` in all. Unknown ids are left out,
   * and mails of which only the links are left.
   */
  texts(projectId: ProjectId, emailIds: readonly string[], maxBytes: number): Promise<ReadonlyMap<string, MailText>>
  /** Looks at some `limit` mails of threads behind this id: those that are noted as in the index and are not there are noted as missing. */
  mend(after: string, limit: number): Promise<Mended>
}
