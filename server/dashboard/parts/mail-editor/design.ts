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
export interface MailLook {
  readonly color?: string | undefined
  readonly logoUrl?: string | undefined
  readonly postalAddress?: string | undefined
  readonly font?: string | undefined
  /** In pixels on a desk. */
  readonly width?: number | undefined
}

/** What the fonts of the API are in a style: each with what is taken where it is missing. */
const FONTS: Readonly<Record<string, string>> = {
  sans: 'Helvetica,Arial,sans-serif',
  arial: 'Arial,Helvetica,sans-serif',
  verdana: 'Verdana,Geneva,sans-serif',
  trebuchet: "'Trebuchet MS',Tahoma,sans-serif",
  georgia: "Georgia,'Times New Roman',serif",
  times: "'Times New Roman',Times,serif",
  courier: "'Courier New',Courier,monospace",
}

/** The font of a project's mails, as a style names it. */
export const fontOf = ({ font }: MailLook) => FONTS[font ?? 'sans'] ?? 'Helvetica,Arial,sans-serif'

/** The widest picture a mail can have; one is drawn no wider than its place. */
export const WIDEST = 720

/** The width of a mail on a desk, in pixels, and of what is within its margins. */
export function widthsOf({ width = 600 }: MailLook): { readonly whole: number; readonly inner: number } {
  return { whole: width, inner: width - 80 }
}

/** The design of a record, when it is one of ours: other programs may keep what they like there. */
export function designOf(stored: unknown): Design | undefined {
  const { version, content } = (stored ?? {}) as Partial<Design>
  return version === 1 && Array.isArray(content) ? { version, content } : undefined
}

/** What a condition asks of a field. */
export const QUESTIONS = ['set', 'missing', 'is', 'isNot'] as const
export type Question = (typeof QUESTIONS)[number]
