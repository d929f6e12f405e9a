import { describe, expect, it } from 'vitest'
import {
  anonymousVariables,
  textWithoutOwnPages,
  withoutOwnPages,
  withPlainPages,
} from '../../core/campaigns/anonymous-mail.ts'

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
    ['a link that has the address in its own', `<a href="https://s.example/?u=${out}&x=1">out</a> x`, ' x'],
    ['a form', `a<form action="${out}" method="post"><input name="q"><button>Leave</button></form>b`, 'ab'],
    ['a form that is never closed', `a<form action=${out}><b>c</b>`, 'a<b>c</b>'],
    [
      'a button',
      `<form><button formaction="${out}">Leave</button><button>Go</button></form>`,
      '<form><button>Go</button></form>',
    ],
    ['a field', `<form><input type="image" src="${out}"><input name="a"></form>`, '<form><input name="a"></form>'],
    ['a picture', `<img src="https://s.example/q.png?d=${out}" alt="">x`, 'x'],
    [
      'an area',
      `<map><area href="${out}"/><area href="https://x.example"/></map>`,
      '<map><area href="https://x.example"/></map>',
    ],
    ['an address of another element', `<td background="${out}" width="1">x</td>`, '<td  width="1">x</td>'],
    ['an address in a style', `<p style="background:url(${out})">x</p>`, '<p >x</p>'],
    ['a longer address in a text', `Leave: (https://s.example/?u=${out}) or not.`, 'Leave:  or not.'],
    [
      'an address in a comment',
      `<!--[if mso]><v:rect href="${out}"><![endif]-->x`,
      '<!--[if mso]><v:rect href=""><![endif]-->x',
    ],
    ['a link in a form', `<form action="${out}"><a href="${out}">x</a></form>y`, 'y'],
  ])('has no %s to the pages of a recipient', (_what, html, left) => {
    expect(withoutOwnPages(html)).toBe(left)
  })

  it('has no link and no picture whose address printed nothing of the recipient', () => {
    const html = '<a class="b" href="">Coupon</a><A HREF=" ">2</A><img src=\'\' alt="x"><a href>3</a><a href="/x">4</a>'
    expect(withoutOwnPages(html)).toBe('<a class="b" >Coupon</a><A >2</A><a >3</a><a href="/x">4</a>')
  })

  it('stays as it is without such links', () => {
    const html = '<a href="https://x.example">x</a>'
    expect(withoutOwnPages(html)).toBe(html)
  })

  it('prints these pages without a filter that would hide them', () => {
    for (const [source, plain] of [
      [
        '<a href="https://s.example/?u={{ manageUrl | url_encode }}">x</a>',
        '<a href="https://s.example/?u={{ unsubscribeUrl }}">x</a>',
      ],
      ['{{- unsubscribeUrl | base64_encode | upcase }}', '{{- unsubscribeUrl }}'],
      ['{{ "https://s.example/?u=" | append: subscribeUrl }}', '{{ unsubscribeUrl }}'],
      ['{% assign u = manageUrl | sha256 %}{{ u }}', '{% assign u = unsubscribeUrl %}{{ u }}'],
      ['{% if unsubscribeUrl %}a{% endif %}{{ viewUrl | url_encode }}{{ name }}', undefined],
    ])
      expect(withPlainPages(source ?? '')).toBe(plain ?? source)
    expect(textWithoutOwnPages(`Leave at ${out}/now or [https://s.example/${out}]`)).toBe('Leave at /now or ')
  })

  it('is made in time, whatever it is made of', () => {
    for (const html of ['<a '.repeat(300_000) + out, `<a href="${out}">`.repeat(20_000), `${out}<a>`.repeat(20_000)]) {
      expect(withoutOwnPages(html)).not.toContain(out)
    }
  })
})
