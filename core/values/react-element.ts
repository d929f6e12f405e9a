import { EngineError } from '../errors.ts'

/** A React element, as JSX makes it: `<Welcome name="Ada" />`. Any version of React makes it so. */
export interface ReactElement {
  readonly type: unknown
  readonly props: unknown
  readonly key: unknown
}

/** A React element in the place of the HTML. */
export interface WithReact {
  /** Instead of `body`: rendered to HTML and, unless `text` is given, to text, by your own `@react-email/render`. */
  readonly react?: ReactElement | null | undefined
}

/**
 * The input of a mail, or of a batch of `messages`, with each `react` rendered: its HTML as `body`, and as `text` unless
 * that is given. Without `react` the input itself, at no cost. Throws EngineError `VALIDATION_ERROR` when it is no
 * element, cannot be rendered or stands beside a body, and when the application has no `@react-email/render`.
 */
export async function reactRendered<Input>(input: Input): Promise<Input> {
  if (hasReact(input)) return rendered(input, 'react')
  if (!isObject(input) || !Array.isArray(input.messages) || !input.messages.some(hasReact)) return input
  const messages: unknown[] = []
  for (const [i, message] of input.messages.entries()) {
    messages.push(hasReact(message) ? await rendered(message, `messages.${i}.react`) : message)
  }
  return { ...input, messages }
}

async function rendered<Mail extends Fields>(mail: Mail, field: string): Promise<Mail> {
  const { react, body, text } = mail
  if (body != null) throw refusal(field, 'cannot stand beside body: leave out one of the two')
  if (!isElement(react)) throw refusal(field, `must be a React element, such as <Welcome />: it is ${nameOf(react)}`)
  const render = await renderer(field)
  try {
    const [html, plain] = await Promise.all([
      render(react),
      text ?? render(react, { plainText: true, htmlToTextOptions: AS_WRITTEN }),
    ])
    const whole: Fields & Mail = { ...mail, body: html, text: plain }
    delete whole.react
    return whole
  } catch (cause) {
    throw refusal(field, `could not be rendered: ${messageOf(cause)}`, cause)
  }
}

/** Headings in capitals, as they are by default, would change the names in placeholders. */
const AS_WRITTEN = {
  selectors: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
}

type Fields = Record<string, unknown>

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function hasReact(input: unknown): input is Fields {
  return isObject(input) && input.react != null
}

/** JSON cannot hold its mark, which is a symbol. */
function isElement(value: unknown): value is never {
  if (!isObject(value)) return false
  const { $$typeof: mark } = value
  return mark === Symbol.for('react.transitional.element') || mark === Symbol.for('react.element')
}

function nameOf(value: unknown): string {
  if (typeof value === 'function') return 'a component, which <…> makes an element'
  if (typeof value === 'string') return 'a text; HTML goes into body'
  if (Array.isArray(value)) return 'a list; put it into <>…</>'
  if (isObject(value) && typeof value.then === 'function') return 'a promise, to be awaited first'
  return isObject(value) ? 'an object without the mark of an element; JSON cannot hold one' : `a ${typeof value}`
}

async function renderer(field: string) {
  // within try, bundlers leave out what an application does not have
  try {
    const { render } = await import('@react-email/render')
    return render
  } catch (cause) {
    const message = `needs the package @react-email/render of your application: npm install @react-email/render react react-dom (${messageOf(cause)})`
    throw refusal(field, message, cause)
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function refusal(field: string, message: string, cause?: unknown): EngineError {
  return new EngineError('VALIDATION_ERROR', `${field}: ${message}`, {
    fields: [{ field, code: 'custom', message }],
    cause,
  })
}
