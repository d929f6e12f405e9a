import { expect, it } from 'vitest'
import { Rendering } from '../../core/mail/render/rendering.ts'
import { compose } from '../../server/dashboard/parts/mail-editor/compose.ts'
import { literalText } from '../../server/dashboard/parts/mail-editor/liquid.ts'

it('a drawn mail prints what the project is, its Liquid included, as it stands', () => {
  const look = { postalAddress: '{% Sale %} {{ email }} & Sons', logoUrl: 'https://a.de/{{ email }}.png' }
  const rendering = new Rendering()
  const html = compose({ version: 1, content: [{ type: 'postal' }] }, { look })
  const shown = rendering.compile(html, 'html').render({}, { email: 'ada@example.org' })
  expect(shown).toContain('&#123;% Sale %} &#123;&#123; email }} &amp; Sons')
  expect(shown).toContain('src="https://a.de/&#123;&#123; email }}.png"')
  expect(rendering.compileText(html).render({}, { email: 'x' })).toContain('{% Sale %} {{ email }} & Sons')
  for (const name of ['{% Sale %} Shop', '{{ email }}', '{{{% x', 'plain'])
    expect(rendering.compileSubject(literalText(`Mail of ${name}`)).render({}, {})).toBe(`Mail of ${name}`)
})
