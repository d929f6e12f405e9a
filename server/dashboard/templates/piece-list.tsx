import { Button } from '@mantine/core'
import { IconPlus, IconPuzzle } from '@tabler/icons-react'
import { Link } from 'wouter'
import { mailPage } from '../../../core/mail/formats/mail-page.ts'
import { useMay, useProject } from '../api/project.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { List } from '../parts/list.tsx'
import { withSample } from '../parts/mail-editor/place.ts'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ContentTabs } from './content-tabs.tsx'
import { MailTile } from './mail-tile.tsx'
import { calledOf, type ListedPiece, type Noun, PIECES } from './pieces.ts'

/** The snippets or the layouts of the project. */
export function PieceList({ noun }: { readonly noun: Noun }) {
  const t = useTexts()
  const may = useMay()
  const project = useProject()
  const words = t.pieces[noun]
  /** A snippet as it stands in a drawn mail. */
  const inPage = (inside: string) => mailPage({ language: 'en', look: project.look ?? {}, title: '', inside })
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
      <List<ListedPiece>
        noun={noun}
        label={words.title}
        ask={(api, query, signal) => PIECES[noun].list(api, query, signal)}
        search={words.find}
        tile={(piece) => (
          <MailTile
            href={`/${noun}/${piece.id}`}
            html={noun === 'layouts' ? withSample(piece.body, words.sample) : inPage(piece.body)}
            bare
            name={calledOf(piece)}
            hint={piece.description}
            updatedAt={piece.updatedAt}
            thing={{ kind: noun, id: piece.id, version: piece.version }}
          />
        )}
        empty={<Empty icon={<IconPuzzle />} title={words.empty} hint={words.emptyHint} action={make} />}
      />
    </Page>
  )
}
