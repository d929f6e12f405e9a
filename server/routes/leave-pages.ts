import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import type { LeavePage } from '../../core/subscriptions/leaving.ts'
import { LeaveReceipt, SentAddress } from '../answers/forms.ts'
import type { PublicRequest } from '../http/requests.ts'
import type { OpenRoute } from '../http/route.ts'
import { leavePage, leaveSentPage, leaveSentWords } from '../pages/leave-pages.ts'
import { invalidPage } from '../pages/subscription-pages.ts'
import { fieldsOf } from './form-pages.ts'

/** The page by which people leave a project without a mail of it. */
export const leavePageRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/leave/:projectId',
    operation: 'showLeavePage',
    summary: 'Show the page to leave by address',
    description: 'For people who have no mail of the project at hand. In its language, else that of the browser.',
    access: 'open',
    errors: 'page',
    gives: { 200: 'text/html' },
    async handle(engine, request) {
      const page = await engine.subscriptions.leaving.look(request.param('projectId'), request.languages)
      return page === undefined ? invalidPage(request.languages) : leavePage(page)
    },
  },
  {
    method: 'POST',
    path: '/leave/:projectId',
    operation: 'askToLeave',
    summary: 'Mail the unsubscribe link to an address',
    description:
      'As a form or as JSON. A subscribed contact of this address gets a mail with its link. The answer is the same for every address, so that it says nothing about who is on the list.',
    access: 'open',
    errors: 'page-or-json',
    takes: { body: SentAddress },
    gives: { 200: [LeaveReceipt, 'text/html'] },
    async handle(engine, request) {
      const page = await pageOf(engine, request)
      const { email: sent } = await fieldsOf(request)
      const email = typeof sent === 'string' ? sent : ''
      try {
        const { fullAddress: address, languages } = request
        await engine.subscriptions.leaving.ask(page, { email }, { address, languages })
      } catch (error) {
        if (request.wantsJson || !EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
        return leavePage(page, email)
      }
      return request.wantsJson
        ? { status: 200, body: { success: true, data: leaveSentWords(page) } }
        : leaveSentPage(page)
    },
  },
]

/** The page of the path. Throws EngineError `PROJECT_NOT_FOUND`. */
async function pageOf({ subscriptions }: Engine, request: PublicRequest): Promise<LeavePage> {
  const id = request.param('projectId')
  const page = await subscriptions.leaving.look(id, request.languages)
  if (page === undefined) throw new EngineError('PROJECT_NOT_FOUND', `There is no project ${id}.`)
  return page
}
