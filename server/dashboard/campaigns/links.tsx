import { useAsk } from '../api/ask.ts'
import { Answer } from '../parts/answer.tsx'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'

/** The links of a campaign that were clicked; each leads to the people who did. */
export function Links({ id }: { readonly id: string }) {
  const t = useTexts()
  const formats = useFormats()
  const links = useAsk(['campaigns', id, 'links'], (api, signal) =>
    api.GET('/campaigns/{id}/links', { params: { path: { id } }, signal }),
  )
  return (
    <Answer of={links}>
      {(found) => (
        <DataTable
          name="campaign-links"
          label={t.campaigns.links}
          rows={found.map((link) => ({ ...link, id: link.url }))}
          href={({ url }) => `/${id}?tab=recipients&link=${encodeURIComponent(url)}`}
          columns={[
            { key: 'url', title: t.campaigns.link, cell: ({ url }) => url },
            { key: 'people', title: t.campaigns.people, align: 'right', cell: ({ people }) => formats.number(people) },
            { key: 'clicks', title: t.campaigns.clicks, align: 'right', cell: ({ clicks }) => formats.number(clicks) },
            {
              key: 'human',
              title: t.campaigns.humanClicks,
              align: 'right',
              cell: ({ humanClicks }) => formats.number(humanClicks),
            },
          ]}
          empty={<Empty title={t.campaigns.noLinks} />}
        />
      )}
    </Answer>
  )
}
