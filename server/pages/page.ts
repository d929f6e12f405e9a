import type { Look, ProfileLink } from '../../core/values/look.ts'
import type { Reply } from '../http/route.ts'
import { styleOf } from './style.ts'

/** The contents of a page, all in plain text. */
export interface PageText {
  /** The language tag (BCP 47). */
  readonly language: string
  readonly title: string
  readonly sentence: string
  /** Who sends the mails. */
  readonly sender?: string
  /** How the sender looks. */
  readonly look?: Look | undefined
  readonly button?: PageButton
  /** A whole form, as HTML of this server. */
  readonly form?: PageForm
  readonly list?: PageList
  /** How often mail may come. */
  readonly often?: PageChoice
  readonly choice?: PageChoice
  /** True where each button of these stores them all, so that none of them is lost by another's button. */
  readonly isJoint?: boolean
  /** Further choices, each with its own buttons. */
  readonly more?: readonly PageSection[]
  /** A link to go on by. */
  readonly link?: { readonly text: string; readonly url: string; readonly isNext?: boolean }
  /** A link back to where the reader came from, above what else may be done. */
  readonly back?: { readonly text: string; readonly url: string }
  /** Shown above all else: that something was done. */
  readonly notice?: string
}

/** A button that posts one field to the page's address. */
export interface PageButton {
  readonly text: string
  readonly name: string
  readonly value: string
  /** True for a button that few people want. */
  readonly isQuiet: boolean
  /** Fields for people to fill in before. */
  readonly fields?: readonly PageField[]
}

/** A form that is not made here, what it needs besides, and where it may lead. */
interface PageForm {
  readonly html: string
  /** The script that makes it better; it works without. */
  readonly script: string
  /** The other origins that an answer to it may lead to. */
  readonly leadsTo: readonly string[]
}

/** A field of a form that people fill in. */
export interface PageField {
  readonly name: string
  readonly label: string
  readonly type: 'password' | 'text' | 'email'
  /** The browser's name for the value to fill in (HTML, section 4.10.18.7.1). */
  readonly autocomplete: string
  readonly minLength?: number
  readonly maxLength: number
  readonly required: boolean
  /** The value that it is filled in with. */
  readonly value?: string
}

/** A question with several answers; the chosen one is posted as one field to the page's address. */
export interface PageChoice {
  readonly title: string
  readonly sentence: string
  readonly name: string
  readonly answers: readonly { readonly value: string; readonly text: string; readonly isChosen: boolean }[]
  readonly button: string
}

/** Things to choose, any number of them; the ids of the chosen ones are posted to the page's address beside those of all. */
interface PageList {
  readonly title: string
  /** The field of the chosen ones, and that of all. */
  readonly name: string
  readonly allName: string
  readonly items: readonly {
    readonly id: string
    readonly text: string
    readonly description?: string | undefined
    readonly isChosen: boolean
  }[]
  readonly button: string
}

/** A part of the page with buttons that need no answer. */
export interface PageSection {
  readonly title?: string
  readonly sentence?: string
  readonly buttons: readonly PageButton[]
}

/** The page's address contains the token, so it is not sent to other sites. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'cache-control': 'no-store',
  vary: 'Accept-Language, Origin',
}

/** A page as a reply. It works without scripts. */
export function pageReply(status: number, text: PageText, headers: Readonly<Record<string, string>> = {}): Reply {
  const { look = {}, language } = text
  const style = styleOf(look)
  const policy = policyOf(style.source, look, text.form)
  const own = { 'content-security-policy': policy, 'content-language': language }
  return { status, raw: html(text, look, style.css), headers: { ...HEADERS, ...headers, ...own } }
}

/** No scripts but that of a form, no images but the logo, no frames around the page, and forms go only to this server. */
export function policyOf(style: string, { logoUrl }: Look, form?: PageForm): string {
  const images = logoUrl === undefined ? '' : ` img-src ${new URL(logoUrl).origin};`
  const script = form === undefined ? '' : " script-src 'self'; connect-src 'self';"
  const targets = ["'self'", ...(form?.leadsTo ?? [])].join(' ')
  return `default-src 'none'; style-src ${style};${images}${script} form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`
}

function html(
  {
    language,
    title,
    sentence,
    sender,
    button,
    form: own,
    list,
    often,
    choice,
    isJoint = false,
    more = [],
    notice,
    back,
    link,
  }: PageText,
  { logoUrl, postalAddress, links = [] }: Look,
  style: string,
): string {
  const whole = sender === undefined ? title : `${title} · ${sender}`
  return `<!doctype html>
<html lang="${escaped(language)}" dir="ltr">
<head>
<meta charset="utf-8">
<title>${escaped(whole)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<style>${style}</style>
</head>
<body>
<main>
${logoUrl === undefined ? '' : `<img class="logo" src="${escaped(logoUrl)}" alt="">\n`}${sender === undefined ? '' : `<p class="sender" dir="auto">${escaped(sender)}</p>\n`}<h1>${escaped(title)}</h1>
${notice === undefined ? '' : `<p class="notice" role="status">${escaped(notice)}</p>\n`}${sentence === '' ? '' : `<p${own ? ' class="words"' : ''}>${escaped(sentence)}</p>\n`}${own === undefined ? '' : `${own.html}<script src="${escaped(own.script)}" data-attach async></script>\n`}${back === undefined ? '' : linkTo(back)}${button === undefined ? '' : form(button)}${isJoint ? `<form method="post" id="${JOINT}" hidden></form>\n` : ''}${list === undefined ? '' : listForm(list, isJoint)}${often === undefined ? '' : choiceForm(often, isJoint)}${more.map(section).join('')}${choice === undefined ? '' : choiceForm(choice, isJoint)}${link === undefined ? '' : linkTo(link)}${profiles(links)}${postalAddress === undefined ? '' : `<p class="post" dir="auto">${escaped(postalAddress)}</p>\n`}</main>
</body>
</html>
`
}

/** Without an action, the form is posted to the page's own address, whatever path this server is mounted under. */
function form({ text, name, value, isQuiet, fields = [] }: PageButton): string {
  const look = isQuiet ? ' class="quiet"' : ''
  return `<form method="post">
<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">
${fields.map(field).join('')}<button type="submit"${look}>${escaped(text)}</button>
</form>
`
}

function field({ name, label, type, autocomplete, minLength, maxLength, required, value }: PageField): string {
  const least = minLength === undefined ? '' : ` minlength="${minLength}"`
  const bounds = `${least} maxlength="${maxLength}"${required ? ' required' : ''}`
  const filled = value ? ` value="${escaped(value.slice(0, maxLength))}"` : ''
  return `<label class="field">${escaped(label)}
<input type="${type}" name="${escaped(name)}" autocomplete="${autocomplete}"${bounds}${filled}></label>
`
}

/** Links to the sender's profiles. */
export function profiles(links: readonly ProfileLink[]): string {
  if (links.length === 0) return ''
  const shown = links.map(({ name, url }) => `<a href="${escaped(url)}" dir="auto">${escaped(name)}</a>`)
  return `<p class="profiles">${shown.join('\n')}</p>\n`
}

function linkTo({ text, url, isNext = false }: NonNullable<PageText['link']>): string {
  return `<p class="link${isNext ? ' next' : ''}"><a href="${escaped(url)}">${escaped(text)}</a></p>
`
}

/** The form of all choices, whose fields stand beside other forms. */
const JOINT = 'choices'

function listForm({ title, name, allName, items, button }: PageList, isJoint: boolean): string {
  const of = isJoint ? ` form="${JOINT}"` : ''
  const rows = items.map(({ id, text, description, isChosen }) => {
    const more = description === undefined ? '' : `<small dir="auto">${escaped(description)}</small>`
    return `<input${of} type="hidden" name="${escaped(allName)}" value="${escaped(id)}">
<label><input${of} type="checkbox" name="${escaped(name)}" value="${escaped(id)}"${isChosen ? ' checked' : ''}> <span><span dir="auto">${escaped(text)}</span>${more}</span></label>
`
  })
  return chosenBy(`<legend>${escaped(title)}</legend>\n${rows.join('')}`, button, of)
}

function chosenBy(fields: string, button: string, of: string): string {
  const [begin, end] =
    of === '' ? ['<form method="post" class="choice">', '</form>'] : ['<div class="choice">', '</div>']
  return `${begin}
<fieldset>
${fields}</fieldset>
<button type="submit" class="quiet"${of}>${escaped(button)}</button>
${end}
`
}

function section({ title, sentence, buttons }: PageSection): string {
  const head = title === undefined ? '' : `<h2>${escaped(title)}</h2>\n`
  const words = sentence === undefined ? '' : `<p>${escaped(sentence)}</p>\n`
  return `<section class="choice">
${head}${words}<div class="buttons">
${buttons.map(form).join('')}</div>
</section>
`
}

function choiceForm({ title, sentence, name, answers, button }: PageChoice, isJoint: boolean): string {
  const of = isJoint ? ` form="${JOINT}"` : ''
  const rows = answers.map(
    ({ value, text, isChosen }) =>
      `<label><input${of} type="radio" name="${escaped(name)}" value="${escaped(value)}"${isChosen ? ' checked' : ''}> ${escaped(text)}</label>\n`,
  )
  return chosenBy(`<legend>${escaped(title)}</legend>\n<p>${escaped(sentence)}</p>\n${rows.join('')}`, button, of)
}

/** Text escaped for use between tags and in quoted attributes. h3's `html` escapes, too, but makes a whole response of each fragment. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
