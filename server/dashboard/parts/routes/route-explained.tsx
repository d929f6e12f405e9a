import { List, Stack, Text } from '@mantine/core'
import type { components } from '../../api/client.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { Texts } from '../../texts/types.ts'
import { useFormats } from '../formats.ts'

type Route = Pick<
  components['schemas']['EmailRoute'],
  'transports' | 'receiver' | 'rule' | 'shares' | 'ramp' | 'notFitting' | 'more' | 'named'
>

/** The transport that the request of a mail names, and whether it goes there. */
export function Named({ named }: Pick<Route, 'named'>) {
  const t = useTexts()
  if (named === undefined) return null
  return <Text size="sm">{named.counts ? t.routes.named(named.transport) : t.routes.namedGone(named.transport)}</Text>
}

/** Which rule decides on a mail, which transports it tries, and why the rules before do not fit. */
export function RouteExplained({ route }: { readonly route: Route }) {
  const t = useTexts()
  const formats = useFormats()
  const { transports = [], receiver, rule, shares, ramp, notFitting = [], more = 0, named } = route
  if (named?.counts) return <Named named={named} />
  return (
    <Stack gap="xs">
      <Named named={named} />
      <Text size="sm">
        {rule === undefined
          ? t.routes.noneFits
          : t.routes.decides(
              titleOf(t.routes.rule(rule.number), rule.name),
              rule.fits.map(({ key, value }) => t.routes.fits(keyName(t, key), valueName(t, key, value))),
            )}
      </Text>
      {transports.length === 0 ? null : <Text size="sm">{t.routes.tries(transports)}</Text>}
      {shares === undefined ? null : (
        <Text size="sm">
          {t.routes.shares(
            Object.entries(shares)
              .map(([name, share]) => t.routes.share(name, share))
              .join(', '),
          )}
        </Text>
      )}
      {ramp === undefined ? null : (
        <Text size="sm">
          {ramp.isBack
            ? t.routes.ramp.back(ramp.transport)
            : ramp.share > 0
              ? t.routes.ramp.explained(ramp.transport, formats.percent(ramp.share))
              : t.routes.ramp.explainedLater(ramp.transport, dayOf(ramp.from, formats))}
        </Text>
      )}
      {receiver === undefined ? null : <Text size="sm">{t.routes.takenBy(valueName(t, 'receiver', receiver))}</Text>}
      {notFitting.length === 0 ? null : (
        <List size="sm">
          {notFitting.map(({ number, name, key, value, wanted, wantedMore }) => (
            <List.Item key={number}>
              {t.routes.fitsNot(
                titleOf(t.routes.rule(number), name),
                keyName(t, key),
                value === undefined ? undefined : valueName(t, key, value),
                t.routes.oneOf(
                  wanted.map((each) => valueName(t, key, each)),
                  wantedMore,
                ),
              )}
            </List.Item>
          ))}
        </List>
      )}
      {more === 0 ? null : <Text size="sm">{t.routes.more(more)}</Text>}
    </Stack>
  )
}

/** A rule without a name is called by its number alone. */
function titleOf(number: string, name: string): string {
  return /^rule \d+$/.test(name) ? number : `${number} (${name})`
}

/** The name of a condition for people. */
export function keyName({ routes }: Texts, key: string): string {
  const dot = key.indexOf('.')
  const [kind, name] = dot < 0 ? [key, undefined] : [key.slice(0, dot), key.slice(dot + 1)]
  const title = routes.keys[kind] ?? kind
  return name === undefined ? title : `${title} ${name}`
}

/** A value of a condition for people. */
export function valueName({ routes }: Texts, key: string, value: string): string {
  if (key === 'class') return routes.classes[value] ?? value
  if (key === 'receiver') return routes.receivers[value] ?? value
  return value === '*' ? routes.any : value
}

/** The beginning of a ramp: a day is the same in every time zone, and a moment has its time. */
export function dayOf(from: string, formats: ReturnType<typeof useFormats>): string {
  return from.includes('T') ? formats.time(from) : formats.date(from)
}
