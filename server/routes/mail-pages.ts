import type { OpenRoute } from '../http/route.ts'
import { mailReply } from '../pages/mail-document.ts'
import { invalidPage, mailGonePage } from '../pages/subscription-pages.ts'

/** Personal, so neither kept nor found by anyone but the holder of the link. */
const HEADERS = { 'x-robots-tag': 'noindex, nofollow', 'cache-control': 'private, no-store' }

/** Mails to be read in a browser. */
export const mailPageRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/view/:token',
    operation: 'showMail',
    summary: 'Show a mail in the browser',
    description:
      'The address that `{{ viewUrl }}` prints in a mail: the mail as its recipient got it, without tracking. 410 when its text is no longer kept.',
    access: 'open',
    errors: 'page',
    gives: { 200: 'text/html' },
    async handle({ mails, subscriptions }, request) {
      const token = request.param('token')
      const shown = await mails.shown(token, request.languages)
      if (shown === undefined) return invalidPage(request.languages, await subscriptions.leaving.ofLostLink(token))
      if (shown.mail === undefined) return mailGonePage(shown, subscriptions.leaving.addressOf(shown.project))
      return mailReply(shown.mail, { language: shown.translations.language, headers: HEADERS })
    },
  },
]
