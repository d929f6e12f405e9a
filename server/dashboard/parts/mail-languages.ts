/** The languages that mails, pages and footers for readers are written in. Those of `core` come with all of their texts. */
export const MAIL_LANGUAGES = ['en', 'de', 'fr', 'es', 'nl', 'pt', 'it', 'pl', 'ja', 'zh'] as const

/** A language by its own name; a tag without one as it is. */
export function languageName(tag: string): string {
  return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
}
