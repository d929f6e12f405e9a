import { expect, it } from 'vitest'
import { quotedName } from '../../core/values/quoted-name.ts'

it.each([
  ['Crew', '“Crew”'],
  ['Müller & Söhne GmbH 2.0', '“Müller & Söhne GmbH 2.0”'],
  ['example.com', '“example·com”'],
  ['Locked. Go to https://evil.example/x?y=1 now', '“Locked. Go to … now”'],
  ['hxxp://evil.example javascript://x ftp://a', '“… … …”'],
  ['see www.evil.example', '“see …”'],
  ['help@evil.example', '“help@evil·example”'],
  ['evil．example and evil。example', '“evil·example and evil·example”'],
  ['" “quoted” „so“ «or»', "“' 'quoted' 'so' 'or'”"],
  ['a\u202egnp.exe\u200b.com', '“agnp·exe·com”'],
  ['👩‍🚀 crew', '“👩‍🚀 crew”'],
  ['x'.repeat(80), `“${'x'.repeat(80)}”`],
  ['😀'.repeat(81), `“${'😀'.repeat(79)}…”`],
])('quotes %s', (name, quoted) => {
  expect(quotedName(name)).toBe(quoted)
})
