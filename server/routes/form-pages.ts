import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import { formCss } from '../../core/subscriptions/forms/form-css.ts'
import { formHtml } from '../../core/subscriptions/forms/form-html.ts'
import type { ShownForm, SubmittedForm } from '../../core/subscriptions/forms/forms.ts'
import type { Sent } from '../../core/subscriptions/forms/read-answers.ts'
import { readJsonText } from '../../core/values/json-text.ts'
import { requireObject } from '../../core/values/parse.ts'
import { ChallengeRecord, FormReceipt, SentForm } from '../answers/forms.ts'
import { SMALL_BODY } from '../http/body.ts'
import type { PublicRequest } from '../http/requests.ts'
import type { OpenRoute, Reply } from '../http/route.ts'
import { formPage, goneFormPage, thanksOf, thanksPage } from '../pages/form-pages.ts'
import { formScript } from '../pages/form-script.ts'

/** The pages of sign-up forms, for visitors: without a key. */
export const formPageRoutes: readonly OpenRoute[] = [
  {
    method: 'GET',
    path: '/f/:formId',
    operation: 'showForm',
    summary: 'Show the page of a form',
    description: 'In the language of the project, else of the browser. It works without scripts.',
    access: 'open',
    errors: 'page',
    gives: { 200: 'text/html' },
    async handle(engine, request) {
      const shown = await lookFor(engine, request)
      if (shown === undefined) return goneFormPage(request.languages)
      if (shown.isOpen && request.method === 'GET') await engine.subscriptions.forms.showed(shown)
      return formPage(shown, { leaveUrl: engine.subscriptions.leaving.addressOf(shown.project) })
    },
  },
  {
    method: 'POST',
    path: '/f/:formId',
    operation: 'sendForm',
    summary: 'Send a form',
    description:
      'As a form or as JSON, from any page; scripts of other sites read the answer only where `origins` of the form names them. It is the same for every address, so that it says nothing about who is on the list.',
    access: 'open',
    errors: 'page-or-json',
    origins: async ({ subscriptions }, id) => (await subscriptions.forms.look(id))?.form.origins ?? [],
    takes: { body: SentForm },
    gives: { 200: [FormReceipt, 'text/html'], 303: null },
    fails: [409],
    async handle(engine, request) {
      const isJson = request.wantsJson
      const shown = await (isJson ? shownBy : lookFor)(engine, request)
      if (shown === undefined) return goneFormPage(request.languages)
      if (!shown.isOpen && !isJson) return formPage(shown)
      const sent = await fieldsOf(request)
      try {
        const done = await engine.subscriptions.forms.submit(shown, sent, {
          address: request.fullAddress,
          languages: request.languages,
        })
        return isJson ? receipt(shown, done) : after(shown, done)
      } catch (error) {
        if (isJson || !EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
        const leaveUrl = engine.subscriptions.leaving.addressOf(shown.project)
        return formPage(shown, { sent, wrong: error.fields.map(({ field }) => field), leaveUrl })
      }
    },
  },
  {
    method: 'GET',
    path: '/f/:formId/challenge',
    operation: 'getFormChallenge',
    summary: 'Get a proof of work for a form',
    description:
      'By the ALTCHA protocol, valid for 30 minutes. Send its solution as `altcha`: programs without one cannot use up what people with one may send.',
    access: 'open',
    errors: 'page-or-json',
    quiet: true,
    gives: { 200: ChallengeRecord },
    async handle(engine, request) {
      const body = engine.subscriptions.forms.challenge(await shownBy(engine, request))
      return { status: 200, body, headers: { 'access-control-allow-origin': '*' } }
    },
  },
  {
    method: 'GET',
    path: '/f/:formId/embed.js',
    operation: 'getFormScript',
    summary: 'Get the script of a form',
    description:
      'Puts the form into the page, where the script element stands, in the colour of the project; `data-unstyled` on the element leaves the style to the page. It sets no cookies and calls nothing but this server.',
    access: 'open',
    quiet: true,
    gives: { 200: 'text/javascript' },
    async handle(engine, request) {
      const shown = await shownBy(engine, request)
      const { form, translations } = shown
      const isOwn = request.query.get('own') !== null
      if (shown.isOpen && !isOwn && request.method === 'GET') await engine.subscriptions.forms.showed(shown)
      const words = translations.form
      // the script knows its own address, and with it that of the form
      const isPut = shown.isOpen && !isOwn
      const html = isPut ? formHtml(form, { words, topics: shown.topics, action: '', isHeaded: true }) : ''
      const css = isPut ? formCss(shown.project.look) : ''
      const script = formScript({ html, css, trouble: translations.trouble.sentence, check: words.check })
      return {
        status: 200,
        raw: shown.isOpen ? script : '// this form is closed\n',
        headers: {
          'content-type': 'text/javascript; charset=utf-8',
          'cross-origin-resource-policy': 'cross-origin',
          vary: 'Accept-Language',
        },
      }
    },
  },
]

/** The form of the path. Throws EngineError `FORM_NOT_FOUND`. */
async function shownBy(engine: Engine, request: PublicRequest): Promise<ShownForm> {
  const shown = await lookFor(engine, request)
  if (shown === undefined) throw new EngineError('FORM_NOT_FOUND', `There is no form ${request.param('formId')}.`)
  return shown
}

/** The form of the path; undefined when there is none. */
function lookFor({ subscriptions }: Engine, request: PublicRequest): Promise<ShownForm | undefined> {
  return subscriptions.forms.look(request.param('formId'), request.languages)
}

/** The fields that were sent: JSON, or those of a form, of which the last of a name counts. */
export async function fieldsOf(request: PublicRequest): Promise<Sent> {
  if (!/\bapplication\/json\b/i.test(request.header('content-type') ?? ''))
    return Object.fromEntries(await request.form())
  const json = readJsonText(await request.bytes(SMALL_BODY))
  requireObject(json)
  return json as Sent
}

function receipt(shown: ShownForm, { redirectUrl }: SubmittedForm): Reply {
  return { status: 200, body: { success: true, data: { ...thanksOf(shown), redirectUrl: redirectUrl ?? null } } }
}

function after(shown: ShownForm, { redirectUrl }: SubmittedForm): Reply {
  if (redirectUrl === undefined) return thanksPage(shown)
  return { status: 303, headers: { location: new URL(redirectUrl).href, 'referrer-policy': 'no-referrer' } }
}
