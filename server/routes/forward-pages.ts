import type { ForwardRequest } from '../../core/inboxes/forwarding.ts'
import type { PublicRequest } from '../http/requests.ts'
import type { OpenRoute, Reply } from '../http/route.ts'
import { pageReply } from '../pages/page.ts'
import { invalidPage } from '../pages/subscription-pages.ts'

const PATH = { path: '/forward/:token', access: 'open', errors: 'page', gives: { 200: 'text/html' } } as const

/** The page by which a mailbox agrees to get the mail of an inbox. Opening it changes nothing, since mail scanners follow links. */
export const forwardPageRoutes: readonly OpenRoute[] = [
  {
    ...PATH,
    method: 'GET',
    operation: 'showForwardPage',
    summary: 'Show the page of /forward',
    description:
      'The address in a mail, which asks its reader to take the mail of an inbox. Opening it changes nothing.',
    async handle(engine, request) {
      const found = await engine.inboxes.forwarding.look(request.param('token'), request.languages)
      return found ? askPage(found) : gone(request)
    },
  },
  {
    ...PATH,
    method: 'POST',
    operation: 'confirmForwarding',
    summary: 'Submit the page of /forward',
    description: 'For its button: from then on the mail of the inbox goes on to the mailbox.',
    async handle(engine, request) {
      const done = await engine.inboxes.forwarding.confirm(request.param('token'), request.languages)
      return done ? donePage(done) : gone(request)
    },
  },
]

function askPage({ project, address, email, translations: { language, forwarding } }: ForwardRequest): Reply {
  return pageReply(200, {
    language,
    sender: project.name,
    look: project.look,
    title: forwarding.subject(address),
    sentence: forwarding.page({ address, sender: project.name, email }),
    button: { text: forwarding.button, name: 'confirm', value: 'yes', isQuiet: false },
  })
}

function donePage({ project, address, email, translations: { language, forwarding } }: ForwardRequest): Reply {
  const { title, sentence } = forwarding.done
  const words = { title, sentence: sentence({ address, sender: project.name, email }) }
  return pageReply(200, { language, sender: project.name, look: project.look, ...words })
}

function gone({ languages }: PublicRequest): Reply {
  return invalidPage(languages)
}
