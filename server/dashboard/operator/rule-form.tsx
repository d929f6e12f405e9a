import { MultiSelect, NumberInput, Select, Stack, TagsInput, TextInput } from '@mantine/core'
import { ApiError } from '../api/api-error.ts'
import { useAsk } from '../api/ask.ts'
import { answerOf } from '../api/client.ts'
import { useRenew } from '../api/effects.ts'
import { useApi } from '../api/project.tsx'
import { FormBox, useForm } from '../parts/form.tsx'
import { keyName } from '../parts/routes/route-explained.tsx'
import { Rows } from '../parts/rows.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { RampFields, type RampValues, rampOf, rampValues } from './ramp-fields.tsx'
import {
  CHANGES,
  type Condition,
  capital,
  conditionsOf,
  isNamed,
  KEYS,
  type Rule,
  type RuleList,
  saveRules,
  whenOf,
} from './rules.ts'

interface Values {
  readonly name: string
  readonly conditions: readonly Condition[]
  readonly to: readonly { readonly transport: string; readonly share: number | string }[]
  readonly ramp: RampValues | undefined
  readonly fallback: readonly string[]
  readonly whenFull: string
}

/**
 * One rule: which mails it is for, and where they go. `at` is its place among those that were set here, which are those of
 * `list`: once others have changed them, it is not saved.
 */
export function RuleForm({
  list,
  at,
  onDone,
}: {
  readonly list: RuleList
  readonly at: number
  readonly onDone: () => void
}) {
  const t = useTexts()
  const api = useApi()
  const renew = useRenew()
  const { rules, version, transports, given, givenMore } = list
  const form = useForm<Values>({
    initial: valuesOf(rules[at]),
    save: async (values) => {
      refuseTwice(
        values.conditions.filter(({ key }) => isNamed(key)).map(({ key, name }) => keyName(t, `${key}.${name.trim()}`)),
        t,
      )
      refuseTwice(
        values.to.map(({ transport }) => transport),
        t,
      )
      const changed = [...rules.slice(0, at), ruleOf(values), ...rules.slice(at + 1)]
      const numberOf = (place: number) => given.length + givenMore + place + 1
      try {
        return await answerOf(saveRules(api, changed, version))
      } catch (error) {
        if (error instanceof ApiError && error.code === 'VERSION_CONFLICT') void renew(CHANGES)
        throw error instanceof ApiError ? ofRule(error, at, (place) => t.routes.rule(numberOf(place))) : error
      }
    },
    names: { when: 'conditions' },
    changes: CHANGES,
    done: t.routes.saved,
    onSaved: onDone,
  })
  // what is gone or turned off stays in a rule that names it
  const { to, ramp, fallback } = form.values
  const named = [...to.map(({ transport }) => transport), ...(ramp === undefined ? [] : [ramp.to]), ...fallback]
  const names = [...new Set([...transports, ...named])].filter(Boolean)
  return (
    <FormBox form={form} onCancel={onDone}>
      <TextInput label={t.routes.name} description={t.routes.nameHint} maxLength={100} {...form.text('name')} />
      <Rows
        label={t.routes.conditions}
        hint={t.routes.conditionsHint}
        rows={form.values.conditions}
        blank={{ key: 'class', name: '', values: [] }}
        add={t.routes.addCondition}
        remove={t.routes.removeCondition}
        error={form.errorOf('conditions')}
        onChange={(conditions) => form.set('conditions', conditions)}
      >
        {(condition, row, put) => (
          <Stack gap={6} flex={1}>
            <Select
              aria-label={t.routes.key(row + 1)}
              data={KEYS.map((key) => ({ value: key, label: capital(t.routes.keys[key] ?? key) }))}
              allowDeselect={false}
              value={condition.key}
              onChange={(key) => key && put({ key, values: [], name: '' })}
            />
            <ConditionValue condition={condition} row={row} put={put} t={t} />
          </Stack>
        )}
      </Rows>
      <Rows
        label={t.routes.to}
        hint={t.routes.toHint}
        rows={to}
        blank={{ transport: '', share: 1 }}
        add={t.routes.addTransport}
        remove={t.routes.removeTransport}
        error={form.errorOf('to')}
        onChange={(rows) => form.set('to', rows)}
      >
        {({ transport, share }, row, put) => (
          <>
            <Select
              aria-label={t.routes.transport(row + 1)}
              placeholder={t.routes.chooseTransport}
              flex={1}
              data={names}
              value={transport || null}
              onChange={(name) => put({ transport: name ?? '' })}
            />
            {to.length < 2 ? null : (
              <NumberInput
                aria-label={t.routes.shareOf(row + 1)}
                w={110}
                min={0}
                max={1_000_000}
                value={share}
                onChange={(value) => put({ share: value })}
              />
            )}
          </>
        )}
      </Rows>
      <RampFields
        values={ramp}
        names={names}
        error={form.errorOf('ramp')}
        onChange={(changed) => form.set('ramp', changed)}
      />
      <MultiSelect
        label={t.routes.fallback}
        description={t.routes.fallbackHint}
        data={names}
        value={[...fallback]}
        onChange={(value) => form.set('fallback', value)}
        error={form.errorOf('fallback')}
      />
      <Select
        label={t.routes.whenFull}
        description={t.routes.whenFullHint}
        data={[
          { value: '', label: t.routes.fulls.usual },
          { value: 'wait', label: t.routes.fulls.wait },
          { value: 'fallback', label: t.routes.fulls.fallback },
        ]}
        allowDeselect={false}
        value={form.values.whenFull}
        onChange={(value) => form.set('whenFull', value ?? '')}
        error={form.errorOf('whenFull')}
      />
    </FormBox>
  )
}

function ConditionValue({
  condition: { key, name, values },
  row,
  put,
  t,
}: {
  readonly condition: Condition
  readonly row: number
  readonly put: (changed: Partial<Condition>) => void
  readonly t: Texts
}) {
  const projects = useAsk(['operator'], (api, signal) => api.GET('/users/@me/operator', { signal }), {
    enabled: key === 'project',
  })
  const label = t.routes.value(row + 1)
  if (isNamed(key))
    return (
      <>
        <TextInput
          aria-label={t.routes.nameOf(row + 1)}
          placeholder={key === 'tag' ? 'stream' : 'X-Stream'}
          value={name}
          onChange={({ currentTarget }) => put({ name: currentTarget.value })}
        />
        <TextInput
          aria-label={label}
          placeholder={t.routes.any}
          value={values[0] === '*' ? '' : (values[0] ?? '')}
          onChange={({ currentTarget }) => put({ values: [currentTarget.value] })}
        />
      </>
    )
  if (key === 'class' || key === 'receiver') {
    const words = key === 'class' ? t.routes.classes : t.routes.receivers
    return (
      <MultiSelect
        aria-label={label}
        placeholder={values.length === 0 ? t.routes.chooseValues : undefined}
        data={Object.entries(words).map(([value, text]) => ({ value, label: text }))}
        value={[...values]}
        onChange={(chosen) => put({ values: chosen })}
      />
    )
  }
  return (
    <TagsInput
      aria-label={label}
      placeholder={values.length === 0 ? t.routes.typeValues : undefined}
      data={key === 'project' ? (projects.data?.projects ?? []).map((each) => each.name) : []}
      acceptValueOnBlur
      value={[...values]}
      onChange={(typed) => put({ values: typed })}
    />
  )
}

function valuesOf(rule: Rule | undefined): Values {
  if (rule === undefined)
    return {
      name: '',
      conditions: [{ key: 'class', name: '', values: [] }],
      to: [{ transport: '', share: 1 }],
      ramp: undefined,
      fallback: [],
      whenFull: '',
    }
  const { name = '', to, fallback = [], whenFull = '' } = rule
  const shares = typeof to === 'string' ? [{ transport: to, share: 1 }] : Object.entries(to).map(shareOf)
  const ramp = rule.ramp && rampValues(rule.ramp)
  return { name, conditions: conditionsOf(rule), to: shares, ramp, fallback, whenFull }
}

/** Throws when a name is there twice: one of them would be lost. */
function refuseTwice(names: readonly string[], t: Texts): void {
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(t.anywhere.pairs.twice(twice))
}

function shareOf([transport, share]: readonly [string, number]) {
  return { transport, share }
}

/** The rule as the API takes it, with what is missing in it. */
function ruleOf({ name, conditions, to, ramp, fallback, whenFull }: Values): Rule {
  const chosen = to.filter(({ transport }) => transport !== '')
  const [first] = chosen
  const shares = Object.fromEntries(chosen.map(({ transport, share }) => [transport, Number(share)]))
  return {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    when: whenOf(conditions),
    to: chosen.length < 2 ? (first?.transport ?? '') : shares,
    ...(ramp === undefined ? {} : { ramp: rampOf(ramp) }),
    ...(fallback.length === 0 ? {} : { fallback: [...fallback] }),
    ...(whenFull === 'wait' || whenFull === 'fallback' ? { whenFull } : {}),
  }
}

/** The refusal with the fields of this rule as the form has them; those of others are named by the rule. */
function ofRule(error: ApiError, at: number, titleOf: (place: number) => string): ApiError {
  const errors = error.fields.flatMap((problem) => {
    const [list, place = '', ...rest] = problem.field.split('.')
    // no field that is typed: the refusal itself says that others were quicker
    if (list === 'version') return []
    if (list !== 'rules' || !/^\d+$/.test(place)) return problem
    const isThis = Number(place) === at && rest.length > 0
    return { ...problem, field: isThis ? rest.join('.') : titleOf(Number(place)) }
  })
  const { status, message, code, suggestion, requestId } = error
  return new ApiError(status, { message, error: { code, errors, suggestion, requestId, message } })
}
