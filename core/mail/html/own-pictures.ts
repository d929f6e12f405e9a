import type { MailContent } from '../../ports/store/contents.ts'
import type { RenderedMail } from '../thread/mail-question.ts'

/** The mail with the pictures that came with it in its HTML, since a browser has no other parts. */
export function withPictures(mail: RenderedMail, { attachments }: Pick<MailContent, 'attachments'>): RenderedMail {
  let { html } = mail
  for (const { contentId, contentType, bytes } of attachments) {
    const type = PICTURE.exec(contentType)?.[0]
    if (contentId === undefined || type === undefined || !html.includes(`cid:${contentId}`)) continue
    html = html.replaceAll(`cid:${contentId}`, `data:${type};base64,${Buffer.from(bytes).toString('base64')}`)
  }
  return { ...mail, html }
}

const PICTURE = /^image\/(?:png|jpeg|gif|webp)(?![\w.+-])/
