/** The longest name that is shown whole, in characters. */
const MOST = 80

/** Quotation marks, which would end the quotation early. */
const QUOTES = /["“”„‟«»＂]/g
/**
 * Invisible signs that change how the rest is read, such as marks of direction; joiners are part of words and emoji.
 */
const UNSEEN = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu
/** Addresses with a scheme, or of the kind that is known without one. */
const ADDRESSES = /[a-z][a-z\d+.-]*:\/\/\S*|\bwww\.\S*/gi
/** The dots of a domain, in every form that is read as one (UTS 46). */
const DOTS = /(?<=[\p{L}\p{N}])[.．。｡](?=\p{L})/gu

/**
 * A name that a user chose freely, to stand within a text of ours: in quotation marks, and without anything that mail
 * programs would make a link of. Else a project called "Your account is locked. Go to https://…" would speak for us.
 */
export function quotedName(name: string): string {
  const plain = name.replace(UNSEEN, '').replace(QUOTES, "'").replace(ADDRESSES, '…').replace(DOTS, '·').trim()
  const signs = [...plain]
  return `“${signs.length > MOST ? `${signs.slice(0, MOST - 1).join('')}…` : plain}”`
}
