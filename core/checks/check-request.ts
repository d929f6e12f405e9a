import * as v from 'valibot'
import { TEMPLATE_TYPES } from '../ports/store/templates.ts'
import { RenderTemplate } from '../templates/template.ts'
import type { InputOf } from '../values/input.ts'

/** The body of `POST /templates/check`: that of `POST /templates/render`, and what the mail is for. */
export const CheckMailRequest = v.object({
  ...RenderTemplate.entries,
  /** `MARKETING` needs a way to unsubscribe and a postal address; `TRANSACTIONAL` does not. */
  type: v.picklist(TEMPLATE_TYPES),
  /** Whether the addresses of links and pictures are asked, which may take 15 seconds; by default true. */
  links: v.optional(v.boolean(), true),
})

/** A mail to check. */
export interface CheckMailInput extends InputOf<typeof CheckMailRequest> {}
