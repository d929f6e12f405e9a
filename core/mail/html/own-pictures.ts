import type { MailContent } from '../../ports/store/contents.ts'
import { pictureTypeOf } from '../../values/picture-type.ts'
import type { RenderedMail } from '../thread/mail-question.ts'

/** The mail with the pictures that came with it in its HTML, since a browser has no other parts. */
export function withPictures(mail: RenderedMail, { attachments }: Pick<MailContent, 'attachments'>): RenderedMail {
  let { html } = mail
  // `cid:logo2` begins as `cid:logo` does
  const longestFirst = attachments.toSorted((a, b) => lengthOf(b) - lengthOf(a))
  for (const { contentId, bytes } of longestFirst) {
    if (contentId === undefined || !html.includes(`cid:${contentId}`)) continue
    // programs that do not know the type of a file call it anything
    const type = pictureTypeOf(bytes)
    if (type === undefined) continue
    html = html.replaceAll(`cid:${contentId}`, `data:${type};base64,${Buffer.from(bytes).toString('base64')}`)
  }
  return { ...mail, html }
}

function lengthOf({ contentId = '' }: MailContent['attachments'][number]): number {
  return contentId.length
}
