/**
 * The address of a link as its author meant it. `shop.example/news` leads nowhere in a mail, which has no address of its
 * own, so it gets its scheme; `ada@example.com` is written to. Liquid and whole addresses stay as they are.
 */
export function wholeAddress(typed: string): string {
  const said = typed.trim()
  if (/^(?:[a-z][a-z\d+-]*:|[#/?{])/i.test(said)) return said
  if (/^[^\s/@]+@[^\s/@.]+(?:\.[^\s/@.]+)+$/.test(said)) return `mailto:${said}`
  return /^[^\s/?#.]+(?:\.[^\s/?#.]+)+(?:[/?#]|$)/.test(said) ? `https://${said}` : said
}
