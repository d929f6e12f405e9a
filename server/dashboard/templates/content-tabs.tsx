import { Tabs } from '@mantine/core'
import { useLocation } from 'wouter'
import { useTexts } from '../texts/texts.tsx'

export type ContentTab = 'templates' | 'snippets' | 'layouts'

/** Tabs of the things that mails are made from: templates, snippets, layouts. */
export function ContentTabs({ at }: { readonly at: ContentTab }) {
  const t = useTexts()
  const [, navigate] = useLocation()
  const open = (tab: string | null) => navigate(tab === 'templates' || tab === null ? '/' : `/${tab}`)
  return (
    <Tabs value={at} onChange={open}>
      <Tabs.List>
        <Tabs.Tab value="templates">{t.templates.title}</Tabs.Tab>
        <Tabs.Tab value="snippets">{t.pieces.snippets.title}</Tabs.Tab>
        <Tabs.Tab value="layouts">{t.pieces.layouts.title}</Tabs.Tab>
      </Tabs.List>
    </Tabs>
  )
}
