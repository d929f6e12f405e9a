import { Button, Group, Paper, SegmentedControl, SimpleGrid, Stack } from '@mantine/core'
import { IconFileText, IconPlus } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { Pages, Search } from '../parts/list.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ContentTabs } from './content-tabs.tsx'
import { MailTile } from './mail-tile.tsx'

const PAGE = 12

export function TemplateList() {
  const t = useTexts()
  const may = useMay()
  const { values, change } = useAddress()
  const { search, type } = values
  const query = {
    page: Number(values.page ?? 1),
    pageSize: PAGE,
    ...(search ? { search } : {}),
    ...(type === 'TRANSACTIONAL' || type === 'MARKETING' ? { type: type as 'TRANSACTIONAL' | 'MARKETING' } : {}),
  } as const
  const templates = useAsk(
    ['templates', 'list', query],
    (api, signal) => api.GET('/templates', { params: { query }, signal }),
    {
      keep: true,
    },
  )
  const make = may.templates ? (
    <Button component={Link} href="/new" leftSection={<IconPlus size={16} />}>
      {t.templates.new}
    </Button>
  ) : null
  return (
    <Page
      title={t.templates.title}
      actions={
        <>
          <CopyCurl path="/templates" />
          {make}
        </>
      }
    >
      <ContentTabs at="templates" />
      <Group gap="sm">
        <Search label={t.templates.find} />
        <SegmentedControl
          value={type ?? ''}
          onChange={(chosen) => change({ type: chosen, page: undefined })}
          data={[
            { value: '', label: t.templates.anyType },
            { value: 'MARKETING', label: t.status.MARKETING ?? '' },
            { value: 'TRANSACTIONAL', label: t.status.TRANSACTIONAL ?? '' },
          ]}
        />
      </Group>
      <Answer of={templates}>
        {(found) =>
          found.templates.length === 0 ? (
            <Paper withBorder>
              {search || type ? (
                <Empty title={t.anywhere.nothingFound} hint={t.anywhere.nothingFoundHint} />
              ) : (
                <Empty icon={<IconFileText />} title={t.templates.empty} hint={t.templates.emptyHint} action={make} />
              )}
            </Paper>
          ) : (
            <Stack>
              <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 4 }}>
                {found.templates.map((template) => (
                  <MailTile
                    key={template.id}
                    href={`/${template.id}`}
                    html={template.body}
                    name={template.name}
                    hint={template.subject}
                    updatedAt={template.updatedAt}
                    thing={{ kind: 'templates', id: template.id, version: template.version }}
                  >
                    <Pill status={template.type} />
                  </MailTile>
                ))}
              </SimpleGrid>
              <Pages total={found.totalPages} />
            </Stack>
          )
        }
      </Answer>
    </Page>
  )
}
