import { Button, Code, Text } from '@mantine/core'
import { IconPlus, IconPuzzle } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useMay } from '../api/project.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ContentTabs } from './content-tabs.tsx'
import { type Noun, PIECES, type Piece } from './pieces.ts'

/** The snippets or the layouts of the project. */
export function PieceList({ noun }: { readonly noun: Noun }) {
  const t = useTexts()
  const may = useMay()
  const words = t.pieces[noun]
  const make = may.templates ? (
    <Button component={Link} href={`/${noun}/new`} leftSection={<IconPlus size={16} />}>
      {words.new}
    </Button>
  ) : null
  return (
    <Page
      title={words.title}
      hint={words.hint}
      actions={
        <>
          <CopyCurl path={`/${noun}`} />
          {make}
        </>
      }
    >
      <ContentTabs at={noun} />
      <List<Piece>
        noun={noun}
        label={words.title}
        ask={(api, query, signal) => PIECES[noun].list(api, query, signal)}
        search={words.find}
        href={({ id }) => `/${noun}/${id}`}
        rowName={({ name }) => name}
        columns={[
          {
            key: 'name',
            title: t.templates.name,
            cell: ({ name }) => (noun === 'snippets' ? <Code>{name}</Code> : name),
          },
          {
            key: 'description',
            title: t.templates.description,
            cell: ({ description }) =>
              description ? (
                <Text size="sm" c="dimmed" lineClamp={1}>
                  {description}
                </Text>
              ) : null,
          },
          { key: 'updated', title: t.anywhere.updated, cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
        ]}
        empty={<Empty icon={<IconPuzzle />} title={words.empty} hint={words.emptyHint} action={make} />}
      />
    </Page>
  )
}
