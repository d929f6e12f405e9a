import { Links } from '../../core/mail/links/links.ts'
import { asProjectId } from '../../core/values/project-id.ts'

/** Settings that make the links below valid. */
export const LINK_SETTINGS = {
  publicUrl: 'https://mail.example.net',
  secret: 'a secret of sixteen characters and more',
}

/** Signs that mail programs which find links in plain text take with them. */
export const GLUED = [
  ...['.', ')', ',', '>', '"', "'", ';', ':', '!', '?', ']', '}', '*', '_', '-', '/', '”', '»', '。', '…'],
  ...['%3E', '%22', '%2E', '&gt;', '&quot;', '>.', '.)', '__', '%'],
]

const links = new Links({ ...LINK_SETTINGS, secret: Buffer.from(LINK_SETTINGS.secret) })

/** The token of a contact's pages, as in its mails. */
export function contactToken(projectId: string, contactId: string, emailId?: string): string {
  const project = asProjectId(projectId)
  if (!project) throw new Error(`${projectId} is no project id`)
  const urls = links.ofContact({ projectId: project, contactId, ...(emailId === undefined ? {} : { emailId }) })
  return urls!.unsubscribeUrl.slice(`${LINK_SETTINGS.publicUrl}/unsubscribe/`.length)
}

/** The token of a mail's pixel and clicks. */
export function mailToken(projectId: string, emailId: string): string {
  const project = asProjectId(projectId)
  if (!project) throw new Error(`${projectId} is no project id`)
  return links.ofMail({ projectId: project, emailId })!.pixel.slice(`${LINK_SETTINGS.publicUrl}/t/o/`.length)
}
