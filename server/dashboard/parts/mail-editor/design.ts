import type { PageLook } from '../../../../core/mail/formats/mail-page.ts'

/** A value of a block's attribute. */
export type Attribute = string | number | boolean | null | readonly Readonly<Record<string, string>>[]

/** One node of a drawn mail, as ProseMirror writes it: a block, or text and variables within one. */
export interface DesignNode {
  readonly type: string
  readonly attrs?: Readonly<Record<string, Attribute>>
  readonly content?: readonly DesignNode[]
  readonly marks?: readonly { readonly type: string; readonly attrs?: Readonly<Record<string, Attribute>> }[]
  readonly text?: string
}

/** A drawn mail: what is stored as `design` beside the HTML that was made from it. */
export type Design = { readonly version: 1; readonly content: readonly DesignNode[] }

/** How a project's mails look. */
export type MailLook = PageLook

/** The widest picture a mail can have; one is drawn no wider than its place. */
export const WIDEST = 720

/** The words of a link to unsubscribe that has none. */
export const WAY_OUT = 'Unsubscribe'

/** The design of a record, when it is one of ours: other programs may keep what they like there. */
export function designOf(stored: unknown): Design | undefined {
  const { version, content } = (stored ?? {}) as Partial<Design>
  return version === 1 && Array.isArray(content) ? { version, content } : undefined
}

/** The comparisons of a condition with a field. */
export const QUESTIONS = ['set', 'missing', 'is', 'isNot'] as const
export type Question = (typeof QUESTIONS)[number]
