import { describe, expect, it } from 'vitest'
import { htmlToText } from '../../core/mail/render/plain-text.ts'
import { newlyWritten } from '../../core/mail/reply/newly-written.ts'
import { ANSWERS } from '../samples/replies/all.ts'
import { HELD_BACK } from '../samples/replies/held-back.ts'
import { HELD_BACK_AGAIN } from '../samples/replies/held-back-again.ts'

/** The words of HTML, whatever its breaks and the addresses of its links. */
function wordsOf(text: string): string {
  return text
    .replaceAll(/ \[(?:mailto|https?):[^\]]*\]/g, '')
    .replaceAll(/[\s\ufeff>-]+/g, ' ')
    .trim()
}

/** Pictures as the words that stand for them. */
function withWords(html: string): string {
  return html.replaceAll(/<img [^>]*alt="([^"]*)"[^>]*>/g, '[$1]')
}

/** The end tags that HTML lacks, and those that it has too many of. */
function unbalanced(html: string): readonly string[] {
  const wrong: string[] = []
  const open: string[] = []
  const void_ = new Set(['br', 'hr', 'img', 'meta'])
  for (const [, end, name = ''] of html
    .replaceAll(/<style[\s\S]*?<\/style>/g, '')
    .matchAll(/<(\/?)([a-z][\w:]*)[^>]*>/gi)) {
    if (void_.has(name.toLowerCase())) continue
    if (end === '') open.push(name)
    else if (open.pop() !== name) wrong.push(name)
  }
  return [...wrong, ...open]
}

describe('the new part of an answer', () => {
  it('is tried with many programs in ten languages', () => {
    expect(ANSWERS.length).toBeGreaterThanOrEqual(60)
  })

  it.each(
    [...ANSWERS, ...HELD_BACK, ...HELD_BACK_AGAIN].map((answer) => [answer.name, answer] as const),
  )('%s', (_name, { text, html, newText }) => {
    const found = newlyWritten({ text, html })
    expect(found.text).toBe(newText)
    if (html === '') expect(found.html).toBe('')
    else expect(wordsOf(htmlToText(withWords(found.html)))).toBe(wordsOf(newText))
    expect(unbalanced(found.html)).toEqual([])
  })

  it.each([
    'Lähettäjä: A <a@b.example>|Lähetetty: maanantai 30. marraskuuta 2026 10.00|Vastaanottaja: B|Aihe: News',
    'Feladó: A <a@b.example>|Elküldve: 2026. november 30., hétfő 10:00|Címzett: B|Tárgy: News',
    'Kimden: A <a@b.example>|Gönderildi: 30 Kasım 2026 Pazartesi 10:00|Kime: B|Konu: News',
    'Od: A <a@b.example>|Odesláno: pondělí 30. listopadu 2026 10:00|Komu: B|Předmět: News',
    'De la: A <a@b.example>|Trimis: luni, 30 noiembrie 2026 10:00|Către: B|Subiect: News',
    'Από: A <a@b.example>|Στάλθηκε: Δευτέρα, 30 Νοεμβρίου 2026|Προς: B|Θέμα: News',
    'От: A <a@b.example>|Отправлено: 30 ноября 2026 г. 10:00|Кому: B|Копия: C|Тема: News',
    '보낸 사람: A <a@b.example>|보낸 날짜: 2026년 11월 30일|받는 사람: B|제목: News',
  ])('ends before the header of the older mail in another language: %s', (header) => {
    const text = `Ok.\n\n${header.replaceAll('|', '\n')}\n\nThe older mail`
    expect(newlyWritten({ text, html: '' }).text.trim()).toBe('Ok.')
  })

  it.each([
    ...['Skickat från min iPhone', 'Sendt fra min iPhone', 'Lähetetty iPhonesta', 'Odesláno z iPhonu'],
    ...['Отправлено из мобильной Яндекс Почты', "iPhone'umdan gönderildi", '나의 iPhone에서 보냄', '发自我的华为手机'],
    ...[
      'Elküldve az iPhone készülékemről',
      'Trimis de pe iPhone-ul meu',
      'Von meinem Samsung Galaxy Smartphone gesendet.',
    ],
    '-------- Originalmeddelande --------\nFrån: A <a@b.example>\n\nOlder',
    '-------- Исходное сообщение --------\nОт: A <a@b.example>\n\nOlder',
    'Dne 25. 11. 26 v 10:00 Ada Lee napsal(a):\n> Older',
    '2026. 11. 25. 10:00 keltezéssel, Ada Lee írta:\n> Older',
  ])('ends before what its program adds in further languages: %s', (added) => {
    expect(newlyWritten({ text: `Ok.\n\n${added}\n`, html: '' }).text).toBe('Ok.')
  })

  it('has sentences about phones and messages', () => {
    for (const text of ['Отправлено с опозданием, извините.', 'Skickat från lagret i går.', 'Původní zpráva:'])
      expect(newlyWritten({ text: `Ok.\n\n${text}`, html: '' }).text).toBe(`Ok.\n\n${text}`)
  })

  it.each([
    ...['>', '> a\n', 'On wrote:\n', 'On 5 May 2026 10:12 Ada <a@b.c>\n', 'From: a@b\n\n', '\n', '-- \n', 'On '],
    ...['This e-mail is confidential, delete it\n\n', 'a\n-- \nb\n> c\n', 'Sent from my iPhone\n'],
    ...['<', '&amp;', '</p>', '<div>', '<p>a</p>', '<blockquote type="cite">a</blockquote>b', '<svg/>', '<pre>a\n'],
    ...['<div class="gmail_quote">a', '<a href="https://x.example">y</a>', 'a<b class="moz-signature">b</b>', '<br>a:'],
  ])('is found quickly, or not at all, in 5 MB of %j', (piece) => {
    const input = piece.repeat(5_000_000 / piece.length)
    const isHtml = /^a?[<&]/.test(piece)
    const begun = process.threadCpuUsage()
    const found = newlyWritten({ text: isHtml ? '' : input, html: isHtml ? input : '' })
    const { user, system } = process.threadCpuUsage(begun)
    expect((user + system) / 1000).toBeLessThan(250)
    if (input.trim() !== '') expect(found).not.toEqual({ text: '', html: '' })
  })

  it('is looked for in 20,000 lines, and what comes later stays unless an older mail began before', () => {
    const lines = (count: number) => 'steam\n'.repeat(count)
    const quote = '> coal\nMonday.'
    expect(newlyWritten({ text: lines(19_997) + quote, html: '' }).text).not.toContain('coal')
    expect(newlyWritten({ text: lines(20_000) + quote, html: '' }).text).toContain('coal')
    expect(newlyWritten({ text: `Yes.\n-----Original Message-----\n${lines(20_000)}${quote}`, html: '' }).text).toBe(
      'Yes.',
    )
  })

  it('leaves long HTML well-formed', () => {
    const older = '<p>coal <a href="https://x.example/?a=1&b=2">steam</a></p>'.repeat(10_000)
    const outlook = `<div><p>Yes.</p><div id="divRplyFwdMsg">From: Ada</div><div>${older}</div></div>`
    expect(newlyWritten({ text: '', html: outlook })).toEqual({
      text: 'Yes.',
      html: '<div><p>Yes.</p></div>',
    })
    const cited = newlyWritten({
      text: '',
      html: `<div><p>Yes.</p><blockquote type="cite">${older}</blockquote>No.</div>`,
    })
    expect(unbalanced(cited.html)).toEqual([])
    expect(cited.html).toMatch(/^<div><p>Yes\.<\/p><blockquote type="cite"><p>coal .*No\.<\/div>$/)
  })

  it('is the text as it is written where there is nothing older, whatever the HTML has', () => {
    const text = 'See https://navy.example for more.'
    const html = '<p>See <a href="https://navy.example/?a">https://navy.example</a> for more.</p>'
    expect(newlyWritten({ text, html })).toEqual({ text, html })
    expect(newlyWritten({ text: '', html: '' })).toEqual({ text: '', html: '' })
  })
})
