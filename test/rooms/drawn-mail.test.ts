import { expect, it } from 'vitest'
import { Rendering } from '../../core/mail/render/rendering.ts'
import { withPostal } from '../../core/templates/postal.ts'
import { compose } from '../../server/dashboard/parts/mail-editor/compose.ts'
import { literalText } from '../../server/dashboard/parts/mail-editor/liquid.ts'

it('a drawn mail prints what the project is, its Liquid included, as it stands', () => {
  const look = { postalAddress: '{% Sale %} {{ email }} & Sons', logoUrl: 'https://a.de/{{ email }}.png' }
  const rendering = new Rendering()
  const design = { version: 1 as const, content: [{ type: 'postal' }] }
  const html = withPostal(compose(design, { look }), look)
  const shown = rendering.compile(html, 'html').render({}, { email: 'ada@example.org' })
  expect(shown).toContain('&#123;% Sale %} &#123;&#123; email }} &amp; Sons')
  expect(shown).toContain('src="https://a.de/&#123;&#123; email }}.png"')
  expect(rendering.compileText(html).render({}, { email: 'x' })).toContain('{% Sale %} {{ email }} & Sons')
  for (const name of ['{% Sale %} Shop', '{{ email }}', '{{{% x', 'plain'])
    expect(rendering.compileSubject(literalText(`Mail of ${name}`)).render({}, {})).toBe(`Mail of ${name}`)
})

it('a drawn mail has the postal address of the day, and no empty line without one', () => {
  const content = [{ type: 'postal' }, { type: 'wayOut' }]
  const html = compose({ version: 1, content }, { look: { postalAddress: 'Old Street' } })
  expect(withPostal(html, { postalAddress: 'New Street' })).toContain('>New Street</p>')
  expect(html).not.toContain('Old Street')
  const without = compose({ version: 1, content: content.slice(1) }, {})
  for (const look of [{}, undefined]) expect(withPostal(html, look)).toBe(without)
  // by hand
  expect(withPostal('<b>{{mailwright_postal}}</b> {{- mailwright_postal -}}', { postalAddress: 'A $& <B>' })).toBe(
    '<b>A $&amp; &lt;B&gt;</b> A $&amp; &lt;B&gt;',
  )
})
