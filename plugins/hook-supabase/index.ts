import * as v from 'valibot'
import { definePlugin } from '../../core/plugin/plugin.ts'
import { MailboxText } from '../../core/values/mailbox.ts'
import { Secret, StandardProof } from '../kit/hooks/standard-webhooks.ts'
import { SupabaseHook } from './supabase-hook.ts'

/** A secret as Supabase shows it: `v1,whsec_…`. */
const ShownSecret = v.pipe(
  v.string(),
  v.transform((text) => text.replace(/^v1,/, '')),
  Secret,
)
const Url = v.pipe(
  v.string(),
  v.url(),
  v.regex(/^https?:\/\//i, 'must be an http or https address'),
  v.transform((url) => url.replace(/\/$/, '')),
)

/** How requests are verified, and how their mails are sent. */
export const SupabaseHookOptions = v.strictObject({
  /** The secret of the hook, as Supabase shows it; several while it is being changed. */
  secret: v.union([ShownSecret, v.pipe(v.array(ShownSecret), v.minLength(1), v.maxLength(5))]),
  /** The address of the Supabase project, `https://abcdefgh.supabase.co`: links in mails lead there. */
  url: Url,
  /** The id or the name of the project that sends; it may be left out where there is only one. */
  project: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(255))),
  /** The sender: `Acme <hello@acme.example>`. Without it, the template's and the project's count. */
  from: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => v.is(MailboxText, text), 'must be an address'),
    ),
  ),
  /** A template, by its id or slug, for each kind of mail; those that are not named have a text of ours. */
  templates: v.optional(v.record(v.pipe(v.string(), v.maxLength(100)), v.pipe(v.string(), v.maxLength(255))), {}),
})

/**
 * Sends the mails of Supabase Auth: its Send Email hook calls `/hooks/supabase`, signed as in Standard Webhooks.
 * `supabaseHook({ secret: 'v1,whsec_…', url: 'https://abcdefgh.supabase.co' })`.
 */
export const supabaseHook = definePlugin({
  name: 'hook-supabase',
  provides: ['hook'],
  options: SupabaseHookOptions,
  open: ({ secret, ...options }) => ({ hook: new SupabaseHook(new StandardProof([secret].flat(), 300), options) }),
})
