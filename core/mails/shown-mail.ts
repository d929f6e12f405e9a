import { EngineError } from '../errors.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import { isConfidential, isForgotten } from '../mail/email.ts'
import { withPictures } from '../mail/html/own-pictures.ts'
import type { Translations } from '../mail/languages/translations.ts'
import { translationsIn } from '../mail/languages/translations-in.ts'
import type { Links } from '../mail/links/links.ts'
import type { RenderedMail } from '../mail/thread/mail-question.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'

/** A mail for the holder of its link, to be read in a browser. */
export interface ShownMail {
  /** The project that sent it. */
  readonly project: Project
  /** In the recipient's language, else the project's, else the first supported one of the reader's. */
  readonly translations: Translations
  /** As it was sent, without tracking. Absent when its text is no longer kept. */
  readonly mail?: RenderedMail
}

interface Sources {
  readonly store: Repositories
  readonly links: Links
  readonly compiled: CompiledMails
}

/** See `Mails.shown`. */
export async function shownMail(
  { store, links, compiled }: Sources,
  token: string,
  languages: readonly string[],
): Promise<ShownMail | undefined> {
  const link = links.readView(token)
  const project = link && (await store.projects.find(link.projectId))
  if (!link || !project) return undefined
  const email = await store.emails.find(link.projectId, link.emailId)
  const translations = translationsIn(email?.variables.locale, project.locale, ...languages)
  const mail = email && (await readable(email, { store, links, compiled }))
  return { project, translations, ...(mail === undefined ? {} : { mail }) }
}

async function readable(email: Email, { store, compiled }: Sources): Promise<RenderedMail | undefined> {
  const { projectId, contactId, contentId, sourceType } = email
  if (sourceType === 'INBOUND' || isConfidential(email)) return undefined
  // the mails of a removed contact lose their text a moment later
  if (contactId !== undefined && !(await store.contacts.find(projectId, contactId))) return undefined
  const compiledMail = await compiled.find(contentId)
  if (compiledMail === undefined || isForgotten(email, compiledMail.content)) return undefined
  try {
    return withPictures(await compiledMail.rendered(email), compiledMail.content)
  } catch (error) {
    if (EngineError.is(error)) return undefined
    throw error
  }
}
