import { describe, expect, it } from 'vitest'
import { anonymousVariables, withoutOwnPages } from '../../core/campaigns/anonymous-mail.ts'

const { unsubscribeUrl: out = '' } = anonymousVariables(undefined)

describe('a mail for readers who are no recipients', () => {
  it.each([
    ['a link', `<p>Hi <a style="x" href="${out}" target="_blank"><b>Unsubscribe</b> now</a>!</p>`, '<p>Hi !</p>'],
    [
      'two links',
      `<a href="${out}">1</a><a href="https://x.example">2</a><A HREF='${out}'>3</A >.`,
      '<a href="https://x.example">2</a>.',
    ],
    ['a link with more in its address', `<a href="${out}?a=1&amp;b=2">out</a> x`, ' x'],
    ['an address in a text', `Leave: ${out}<br>`, 'Leave: <br>'],
    ['an address in another place of a tag', `<img alt="${out}">`, '<img alt="">'],
    [
      'a link that is never closed',
      `<a href="${out}">out <a href="https://x.example">in</a>`,
      '<a href="https://x.example">in</a>',
    ],
    ['a link at the very end', `x<a href="${out}">`, 'x'],
    ['a broken tag', `<a href="${out}`, '<a href="'],
  ])('has no %s to the pages of a recipient', (_what, html, left) => {
    expect(withoutOwnPages(html)).toBe(left)
  })

  it('stays as it is without such links', () => {
    const html = '<a href="https://x.example">x</a>'
    expect(withoutOwnPages(html)).toBe(html)
  })

  it('is made in time, whatever it is made of', () => {
    for (const html of ['<a '.repeat(300_000) + out, `<a href="${out}">`.repeat(20_000), `${out}<a>`.repeat(20_000)]) {
      expect(withoutOwnPages(html)).not.toContain(out)
    }
  })
})
