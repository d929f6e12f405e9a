/** The formats a mail may be written in. */
export const MAIL_FORMATS = ['HTML', 'MJML', 'MARKDOWN'] as const
export type MailFormat = (typeof MAIL_FORMATS)[number]

/** A mail as it was written; its body was made of it. A plain JSON value. */
export type MailSource = {
  readonly format: MailFormat
  readonly text: string
  /** Whether the rules of `<style>` were written into the elements they fit. */
  readonly inlineCss?: boolean
}

/** The same as it was given. */
export type GivenSource = Omit<MailSource, 'inlineCss'> & { readonly inlineCss?: boolean | undefined }
