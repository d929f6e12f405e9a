import { Alert, Anchor, Code, Group, Paper, Stack, Text } from '@mantine/core'
import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useTexts } from '../texts/texts.tsx'
import { useAdvice } from './advice.ts'
import { Copy } from './copy.tsx'
import classes from './dns-records.module.css'
import { Moment } from './moment.tsx'
import { Pill } from './pill.tsx'
import { SectionHead } from './section-head.tsx'

export type Domain = components['schemas']['Domain']

/** Whether mail goes out from it without its records: the configuration of the server trusts it. */
export function isTrusted({ verified, status }: Pick<Domain, 'verified' | 'status'>): boolean {
  return verified && status !== 'VERIFIED'
}

/** The state of a domain in a word: by its records, or that it is trusted without them. */
export function DomainPill({ domain }: { readonly domain: Pick<Domain, 'verified' | 'status'> }) {
  const t = useTexts()
  return isTrusted(domain) ? <Pill status="VERIFIED" text={t.domains.trusted} /> : <Pill status={domain.status} />
}

/** The reason to publish the records of a domain that is trusted without them; nothing for others. */
export function TrustedNote({ domain }: { readonly domain: Pick<Domain, 'domain' | 'verified' | 'status'> }) {
  const t = useTexts()
  if (!isTrusted(domain)) return null
  return (
    <Alert color="blue" p="xs">
      {t.domains.trustedHint(domain.domain)}
    </Alert>
  )
}

/** The DNS records of a domain, to copy, with the state of each in words. */
export function DnsRecords({ domain: { id, domain, records, lastCheckedAt } }: { readonly domain: Domain }) {
  const t = useTexts()
  const say = useAdvice()
  return (
    <Paper withBorder p="md">
      <SectionHead
        title={t.domains.records}
        mb="sm"
        hint={
          <>
            {t.domains.recordsHint} {t.domains.checkedAt}: <Moment at={lastCheckedAt} empty={t.anywhere.never} />
          </>
        }
      />
      <DnsKeeper id={id} domain={domain} />
      <Stack gap={0} component="ul" className={classes.records} aria-label={t.domains.records}>
        {records.map(({ type, name, value, purpose, required, status, advice, adviceCodes }) => (
          <li key={`${type} ${name} ${value}`} className={classes.record}>
            <Group gap="xs">
              <Text fw={550} size="sm">
                {t.domains.purposes[purpose] ?? purpose}
              </Text>
              <Pill status={status} text={t.domains.states[status] ?? status} />
              {required ? (
                <Text size="xs" c="dimmed">
                  {t.domains.required}
                </Text>
              ) : null}
            </Group>
            {advice ? (
              <Text size="xs" c="dimmed">
                {say(advice, adviceCodes)}
              </Text>
            ) : null}
            <dl className={classes.values}>
              <dt>{t.domains.type}</dt>
              <dd>{type}</dd>
              <dt>{t.domains.name}</dt>
              <dd>
                <Copyable text={name} />
              </dd>
              <dt>{t.domains.value}</dt>
              <dd>
                <Copyable text={value} />
              </dd>
            </dl>
          </li>
        ))}
      </Stack>
    </Paper>
  )
}

/** Where the records are published, by the name servers of the domain. */
function DnsKeeper({ id, domain }: Pick<Domain, 'id' | 'domain'>) {
  const t = useTexts()
  const keeper = useAsk(
    ['domains', id, 'keeper'],
    (api, signal) => api.GET('/domains/{id}/keeper', { params: { path: { id } }, signal }),
    { once: true },
  )
  if (keeper.data === undefined) return null
  const { provider, nameServers } = keeper.data
  return (
    <Text size="sm" mb="sm">
      {provider === null ? (
        nameServers.length === 0 ? (
          t.domains.keeperUnknown(domain)
        ) : (
          t.domains.keeperServers(domain, nameServers.join(', '))
        )
      ) : (
        <>
          {t.domains.keeper(domain, provider.name)}{' '}
          <Anchor href={provider.url} target="_blank" rel="noreferrer">
            {t.domains.toKeeper(provider.name)}
          </Anchor>
        </>
      )}
    </Text>
  )
}

function Copyable({ text }: { readonly text: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Code style={{ overflowWrap: 'anywhere' }}>{text}</Code>
      <Copy value={text} />
    </Group>
  )
}
