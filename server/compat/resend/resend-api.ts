import { definePlugin } from '../../../core/plugin/plugin.ts'
import type { ForeignApi } from '../../../core/ports/foreign-api.ts'
import { bearer } from '../kit/bearer.ts'
import { absent } from './absent.ts'
import { emails } from './emails.ts'
import { refusal } from './refusal.ts'

/** Resend's API (https://resend.com/docs/api-reference), as its package 6.38 calls it. */
export const resend: ForeignApi = {
  service: 'Resend',
  endpoints: [...emails],
  absent,
  keyOf: bearer,
  refusal,
}

/**
 * The API of Resend: `new Resend('sk_…')` sends here with `RESEND_BASE_URL=https://mail.example.com/compat/resend`. It
 * takes no options.
 */
export const resendApi = definePlugin({ name: 'resend', provides: ['compat'], open: () => ({ compat: resend }) })
