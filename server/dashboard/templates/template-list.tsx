import { Button, Group, Paper, SegmentedControl, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconFileText, IconPlus } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import { useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { Pages, Search } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { Thumbnail } from '../parts/thumbnail.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ContentTabs } from './content-tabs.tsx'
import classes from './templates.module.css'

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
                  <Paper
                    key={template.id}
                    withBorder
                    component={Link}
                    href={`/${template.id}`}
                    className={classes.card}
                  >
                    <Thumbnail html={template.body} title={template.name} />
                    <Stack gap={4} p="sm">
                      <Group justify="space-between" wrap="nowrap" gap="xs">
                        <Title order={2} size="h5" lineClamp={1}>
                          {template.name}
                        </Title>
                        <Pill status={template.type} />
                      </Group>
                      <Text size="sm" c="dimmed" lineClamp={1}>
                        {template.subject}
                      </Text>
                      <Text size="xs" c="dimmed">
                        {t.anywhere.updated} <Moment at={template.updatedAt} />
                      </Text>
                    </Stack>
                  </Paper>
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
