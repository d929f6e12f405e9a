import type { HookAnswer, HookMail, HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import type { Json, JsonObject } from '../../core/values/json.ts'
import { Fields } from '../kit/hooks/fields.ts'
import { unreadable } from '../kit/hooks/refused.ts'
import type { StandardProof } from '../kit/hooks/standard-webhooks.ts'
import { textOf } from './texts.ts'

/** How mails are sent. */
interface Sending {
  readonly url: string
  readonly project?: string | undefined
  readonly from?: string | undefined
  readonly templates: Readonly<Record<string, string>>
}

/** A mail that a request asks for: whom it goes to, and with which code and link. */
interface Wanted {
  readonly to: string
  readonly token: string
  readonly hash: string
}

/** Kinds of mail without a link: a code that is typed in. */
const TYPED = new Set(['reauthentication'])

/** Reads the requests of the Send Email hook of Supabase Auth: one mail each, two where a new address is confirmed at both. */
export class SupabaseHook implements HttpHook {
  readonly #proof: StandardProof
  readonly #sending: Sending

  constructor(proof: StandardProof, sending: Sending) {
    this.#proof = proof
    this.#sending = sending
  }

  receive(request: HookRequest): HookAnswer {
    const id = this.#proof.of(request)
    if (typeof id !== 'string') return id
    const given = Fields.of(request.body)
    const [user, data] = [given.in('user'), given.in('email_data')]
    const action = data.text('email_action_type')
    if (action === undefined) return unreadable('The body has no email_data.email_action_type.')
    const wanted = wantedBy(action, user, data)
    if (wanted.length === 0) return unreadable('The body has no user.email.')
    const mails: HookMail[] = []
    for (const [place, each] of wanted.entries()) {
      const mail = this.#mail(action, each, { user, data })
      if (mail === undefined) {
        return unreadable(
          `There is no text for mails of the kind ${action.slice(0, 100)}: name a template in templates.`,
        )
      }
      const { project } = this.#sending
      mails.push({ mail, key: `${id.slice(0, 100)} ${place}`, ...(project === undefined ? {} : { project }) })
    }
    return { outcome: 'taken', reports: [], mails }
  }

  /** Undefined when there is neither a template nor a text for such a mail. */
  #mail(
    action: string,
    { to, token, hash }: Wanted,
    { user, data }: { user: Fields; data: Fields },
  ): JsonObject | undefined {
    const { url, from, templates } = this.#sending
    const redirect = data.text('redirect_to') ?? ''
    const query = new URLSearchParams({ token: hash, type: action, redirect_to: redirect })
    const link = hash === '' || TYPED.has(action) ? '' : `${url}/auth/v1/verify?${query}`
    const common = {
      to,
      ...(from === undefined ? {} : { from }),
      tracking: false,
      tags: { supabase: action.slice(0, 100) },
    }
    const template = Object.hasOwn(templates, action) ? templates[action] : undefined
    if (template === undefined) {
      const written = textOf(action, { link, token })
      return written === undefined ? undefined : { ...common, ...written, placeholders: false }
    }
    const values: Readonly<Record<string, Json>> = {
      action,
      token,
      link,
      redirectTo: redirect,
      siteUrl: data.text('site_url') ?? '',
      address: user.text('email') ?? '',
      newAddress: user.text('new_email') ?? '',
      user: user.object('user_metadata') ?? {},
    }
    const once = Object.entries(values).map(([name, value]) => [name, { value, persistent: false }])
    return { ...common, template, data: Object.fromEntries(once) }
  }
}

/**
 * The mails that a request asks for. Where both addresses confirm a change, the hash of the current one is called
 * `token_hash_new` and belongs to `token`, and that of the new one the other way round.
 */
function wantedBy(action: string, user: Fields, data: Fields): readonly Wanted[] {
  const [email, newEmail] = [user.text('email'), user.text('new_email')]
  const [token = '', hash = ''] = [data.text('token'), data.text('token_hash')]
  const [tokenNew, hashNew] = [data.text('token_new'), data.text('token_hash_new')]
  if (action === 'email_change' && newEmail !== undefined) {
    if (email === undefined || tokenNew === undefined || hashNew === undefined) return [{ to: newEmail, token, hash }]
    return [
      { to: email, token, hash: hashNew },
      { to: newEmail, token: tokenNew, hash },
    ]
  }
  return email === undefined ? [] : [{ to: email, token, hash }]
}
