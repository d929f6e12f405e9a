import { createHash } from 'node:crypto'
import type { Mailbox } from '../ports/mail-transport.ts'
import type { ContentSender, MailContent } from '../ports/store/contents.ts'
import type { Project } from '../ports/store/projects.ts'
import { digestInTurns, digestOf } from '../values/digest.ts'
import type { ProjectId } from '../values/project-id.ts'
import { hasPlaceholders } from './thread/heavy-mail.ts'

/**
 * The marks that a content copies from its project, so that delivery need not load the project. `tracking` is the
 * mail's own wish, and `topicId` the topic of marketing mail.
 */
export function contentMarks(
  project: Project,
  marketing: boolean,
  tracking?: boolean | null,
  topicId?: string,
): Pick<MailContent, 'marketing' | 'tracking' | 'trackingAsked' | 'locale' | 'look' | 'topicId'> {
  const locale = marketing && project.locale !== undefined ? { locale: project.locale } : {}
  const look = marketing && project.look !== undefined ? { look: project.look } : {}
  const asked = !marketing && tracking ? { trackingAsked: true } : {}
  const topic = marketing && topicId !== undefined ? { topicId } : {}
  return { marketing, tracking: isTracked(project, marketing, tracking), ...asked, ...locale, ...look, ...topic }
}

/** A sender whose name is data, such as that of a project or of a setting, which is never run as a template. */
export function literalSender({ email, name }: Mailbox): ContentSender {
  const sender = { email, ...(name === undefined ? {} : { name }) }
  return name !== undefined && hasPlaceholders(name) ? { ...sender, isLiteral: true } : sender
}

type Written = Omit<MailContent, 'id' | 'createdAt'>
type Digests = { [Field in 'html' | 'text']?: string }

/** A longer text enters the id by its own digest, which can be computed piece by piece. */
const LONG = 1_000_000

/** The id of this content in this project: a UUIDv8 (RFC 9562) over its SHA-256. */
export function contentId(content: Written): string {
  const digests: Digests = {}
  for (const [field, text] of longTexts(content)) digests[field] = digestOf(text)
  return idOf(content, digests)
}

/** The same, but yields to other work between pieces of many megabytes. */
export async function contentIdInTurns(content: Written): Promise<string> {
  const digests: Digests = {}
  for (const [field, text] of longTexts(content)) digests[field] = await digestInTurns(text)
  return idOf(content, digests)
}

/** The id of a submitted message, whose SHA-256 is known already. */
export function submittedContentId(projectId: ProjectId, digest: string): string {
  return uuidOf(createHash('sha256').update(`${projectId} ${digest}`).digest('hex'))
}

function longTexts({ html, text = '' }: Written): readonly (readonly ['html' | 'text', string])[] {
  const texts = [['html', html] as const, ['text', text] as const]
  return texts.filter(([, each]) => each.length > LONG)
}

function idOf(content: Written, digests: Digests): string {
  const hash = createHash('sha256')
  const { attachments, ...written } = content
  hash.update(JSON.stringify({ ...written, ...digests }))
  for (const { bytes, ...attachment } of attachments) {
    // the length separates two lists that have the same bytes in a row
    hash.update(JSON.stringify({ ...attachment, length: bytes.length }))
    hash.update(bytes)
  }
  return uuidOf(hash.digest('hex'))
}

function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/**
 * Whether a mail's opens and clicks are tracked: as the mail says (`asked`), else as its project does. Decided when the
 * mail is accepted.
 */
function isTracked({ tracking }: Project, marketing: boolean, asked?: boolean | null): boolean {
  return asked ?? (tracking === 'ENABLED' || (tracking === 'MARKETING_ONLY' && marketing))
}
