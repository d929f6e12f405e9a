import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAsk } from '../api/ask.ts'
import { Answer } from '../parts/answer.tsx'
import { Facts } from '../parts/facts.tsx'
import { Named, RouteExplained } from '../parts/routes/route-explained.tsx'
import { useTexts } from '../texts/texts.tsx'

/** Where the mail would go now, and why: once the user wants to know. */
export function Way({ id }: { readonly id: string }) {
  const t = useTexts()
  const [isOpen, setOpen] = useState(false)
  const found = useAsk(
    ['emails', id, 'route'],
    (api, signal) => api.GET('/emails/{id}/route', { params: { path: { id } }, signal }),
    { enabled: isOpen },
  )
  return (
    <Paper withBorder p="md">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t.routes.title}
        </Title>
        <Button variant="default" size="xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t.routes.hide : t.routes.show}
        </Button>
      </Group>
      {isOpen ? (
        <Answer of={found} lines={4}>
          {(route) => (
            <Stack mt="sm" gap="xs">
              <Facts
                of={[
                  [t.routes.wayNow, t.routes.ways[route.way] ?? route.way],
                  [t.routes.class, t.routes.classes[route.class] ?? route.class],
                  [t.routes.tried, route.tried.length === 0 ? t.routes.triedNone : route.tried.join(', ')],
                ]}
              />
              {route.way === 'own' && route.transports !== undefined ? (
                <>
                  <Named named={route.named} />
                  {route.named?.counts ? null : <Text size="sm">{t.routes.tries(route.transports)}</Text>}
                </>
              ) : null}
              {route.way === 'installation' || route.way === 'folder' ? (
                route.transports === undefined ? (
                  <>
                    <Named named={route.named} />
                    <Text size="sm" c="dimmed">
                      {t.routes.hidden}
                    </Text>
                  </>
                ) : (
                  <RouteExplained route={route} />
                )
              ) : null}
            </Stack>
          )}
        </Answer>
      ) : null}
    </Paper>
  )
}
