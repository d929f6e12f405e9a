import { Anchor, ColorInput, Fieldset, Group, Paper, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ProfileLink } from '../../../core/values/look.ts'
import { apiUrl } from '../api/base.ts'
import { answerOf } from '../api/client.ts'
import { type Project, useApi, useMay, useProject } from '../api/project.tsx'
import { SESSION } from '../api/session.tsx'
import { AmountInput } from '../parts/amount-input.tsx'
import { Copy } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { FormBox } from '../parts/form.tsx'
import { type Seen, useSharedForm } from '../parts/joint-form.tsx'
import { LinksField } from '../parts/mail-editor/link-fields.tsx'
import { PictureField } from '../parts/mail-editor/picture-field.tsx'
import { languageName, MAIL_LANGUAGES } from '../parts/mail-languages.ts'
import { useNotices } from '../parts/notices.ts'
import { WhoMay } from '../parts/only-for.tsx'
import { PublicDataField } from '../parts/public-data-field.tsx'
import { changedOnly } from '../parts/three-way.ts'
import { Together } from '../parts/together/together.tsx'
import { type Utm, UtmFields } from '../parts/utm-fields.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { LeaveProject } from './leave-project.tsx'
import { ModeFields } from './mode-fields.tsx'
import { type Section, Sections } from './sections.tsx'

/** The zone of a project that has none. */
const DEFAULT_ZONE = 'UTC'

/** How the project looks to its readers, by the names of the API. */
const LOOK = ['postalAddress', 'logoUrl', 'color', 'font', 'width', 'links'] as const

/** The settings of the project: a form for users who may change them, for others what they are and who changes them. */
export function ProjectSettings() {
  const may = useMay()
  const { id, version } = useProject()
  return (
    <>
      <Together kind="projects" id={id} version={version} />
      {may.settings ? <SettingsForm /> : <Shown />}
      <LeaveProject />
    </>
  )
}

function Shown() {
  const t = useTexts()
  const project = useProject()
  const { name, from, tracking, mode, locale, timeZone, look, archiveSlug, id } = project
  return (
    <Paper withBorder p="lg" maw={640}>
      <Stack>
        <WhoMay area="settings" />
        <Facts
          of={[
            [t.settings.name, name],
            [t.settings.sender, from && (from.name ? `${from.name} <${from.email}>` : from.email)],
            [t.settings.mode, t.settings.modes[mode]],
            [t.settings.tracking, t.settings.trackings[tracking]],
            [t.settings.locale, locale],
            [t.settings.timeZone, timeZone ?? DEFAULT_ZONE],
            [t.settings.postalAddress, look?.postalAddress],
            [t.settings.sections.archive, archiveSlug],
            [t.settings.id, id],
          ]}
        />
      </Stack>
    </Paper>
  )
}

function SettingsForm() {
  const t = useTexts()
  const api = useApi()
  const project = useProject()
  const queries = useQueryClient()
  const notices = useNotices()
  const path = { params: { path: { id: project.id } } }
  const form = useSharedForm({
    seen: seenOf(project),
    seenAfter: seenOf,
    read: async () => seenOf(await answerOf(api.GET('/projects/{id}', path))),
    save: (values, before) =>
      answerOf(
        api.PATCH('/projects/{id}', {
          ...path,
          body: { ...changedOnly(requestOf(values), requestOf(before.values)), version: before.version },
        }),
      ),
    labels: labelsOf(t),
    names: {
      ...Object.fromEntries(LOOK.map((name) => [`look.${name}`, name])),
      'frequencyCap.mails': 'capMails',
      'frequencyCap.days': 'capDays',
    },
    async onSaved() {
      notices.done(t.settings.saved)
      await queries.invalidateQueries({ queryKey: SESSION })
    },
  })
  const sections: readonly Section[] = [
    {
      key: 'project',
      title: t.settings.sections.project,
      fields: (
        <>
          <TextInput label={t.settings.name} required {...form.text('name')} />
          <Select
            label={t.settings.locale}
            description={t.settings.localeHint}
            data={languages(project.locale ?? '')}
            placeholder={languages('')[0]?.label}
            clearable
            searchable
            value={form.values.locale === '' ? null : form.values.locale}
            onChange={(locale) => form.set('locale', locale ?? '')}
            error={form.errorOf('locale')}
          />
          <Select
            label={t.settings.timeZone}
            description={t.settings.timeZoneHint}
            data={Intl.supportedValuesOf('timeZone')}
            placeholder={DEFAULT_ZONE}
            clearable
            searchable
            value={form.values.timeZone === '' ? null : form.values.timeZone}
            onChange={(zone) => form.set('timeZone', zone ?? '')}
            error={form.errorOf('timeZone')}
          />
          <Group gap={4} wrap="nowrap">
            <Text size="sm" c="dimmed" miw={0}>
              {t.settings.id}: {project.id}
            </Text>
            <Copy value={project.id} />
          </Group>
        </>
      ),
    },
    {
      key: 'sender',
      title: t.settings.sections.sender,
      fields: (
        <>
          <TextInput
            label={t.settings.sender}
            description={t.settings.senderHint}
            type="email"
            {...form.text('from')}
          />
          <TextInput label={t.settings.senderName} {...form.text('fromName')} />
        </>
      ),
    },
    {
      key: 'mode',
      title: t.settings.sections.mode,
      fields: <ModeFields form={form} />,
    },
    {
      key: 'look',
      title: t.settings.sections.look,
      hint: t.settings.sectionHints.look,
      fields: (
        <>
          <Textarea
            label={t.settings.postalAddress}
            description={t.settings.postalAddressHint}
            autosize
            minRows={2}
            {...form.text('postalAddress')}
          />
          <PictureField
            isForm
            label={t.settings.logo}
            description={t.settings.logoHint}
            src={form.values.logoUrl}
            take={({ url }) => form.set('logoUrl', url)}
            write={(url) => form.set('logoUrl', url)}
            error={form.errorOf('logoUrl') ?? logoProblem(form.values.logoUrl, t)}
          />
          <ColorInput
            label={t.settings.color}
            description={t.settings.colorHint}
            withEyeDropper={false}
            {...form.field('color')}
          />
          <Select
            label={t.settings.font}
            description={t.settings.fontHint}
            data={Object.entries(t.settings.fonts).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            value={form.values.font}
            onChange={(font) => font && form.set('font', font as keyof typeof t.settings.fonts)}
            error={form.errorOf('font')}
          />
          <AmountInput
            label={t.settings.width}
            description={t.settings.widthHint}
            suffix=" px"
            step={20}
            value={form.values.width}
            onChange={(width) => form.set('width', width)}
            error={form.errorOf('width')}
          />
          <Fieldset legend={t.settings.profiles}>
            <LinksField
              links={form.values.links}
              onChange={(links) => form.set('links', links)}
              hint={t.settings.profilesHint}
              most={8}
            />
          </Fieldset>
        </>
      ),
    },
    {
      key: 'tracking',
      title: t.settings.sections.tracking,
      fields: (
        <>
          <Select
            label={t.settings.tracking}
            data={(['ENABLED', 'MARKETING_ONLY', 'DISABLED'] as const).map((value) => ({
              value,
              label: t.settings.trackings[value],
            }))}
            allowDeselect={false}
            value={form.values.tracking}
            onChange={(value) => value && form.set('tracking', value as Project['tracking'])}
            error={form.errorOf('tracking')}
          />
          <Select
            label={t.settings.consent}
            data={(['full', 'anonymous', 'none'] as const).map((value) => ({
              value,
              label: t.contacts.consents[value],
            }))}
            allowDeselect={false}
            value={form.values.trackingConsent}
            onChange={(value) => value && form.set('trackingConsent', value as Project['trackingConsent'])}
            error={form.errorOf('trackingConsent')}
          />
          <PublicDataField
            value={form.values.publicData}
            onChange={(value) => form.set('publicData', value)}
            error={form.errorOf('publicData')}
          />
        </>
      ),
    },
    {
      key: 'often',
      title: t.settings.sections.often,
      fields: (
        <>
          <Group align="flex-start" grow>
            <AmountInput
              label={t.settings.capMails}
              description={t.settings.capHint}
              min={0}
              max={1000}
              allowDecimal={false}
              {...form.field('capMails')}
            />
            <AmountInput
              label={t.settings.capDays}
              description={t.settings.capDaysHint}
              min={1}
              max={366}
              allowDecimal={false}
              {...form.field('capDays')}
            />
          </Group>
        </>
      ),
    },
    {
      key: 'archive',
      title: t.settings.sections.archive,
      hint: t.settings.archiveHint,
      fields: (
        <>
          <TextInput
            label={t.settings.archiveSlug}
            description={t.settings.archiveSlugHint}
            maxLength={63}
            {...form.text('archiveSlug')}
          />
          {project.archiveSlug === null ? null : (
            <Anchor href={apiUrl(`/archive/${project.archiveSlug}`)} target="_blank" rel="noreferrer" size="sm">
              {t.settings.openArchive}
            </Anchor>
          )}
          <TextInput
            label={t.settings.signUpUrl}
            description={t.settings.signUpHint}
            type="url"
            {...form.text('signUpUrl')}
          />
        </>
      ),
    },
    {
      key: 'links',
      title: t.settings.sections.links,
      hint: t.settings.utmHint,
      fields: (
        <>
          <UtmFields
            value={form.values.utm}
            onChange={(utm) => form.set('utm', utm)}
            errorOf={form.errorOf}
            readOnly={false}
            name={t.settings.utmName}
          />
        </>
      ),
    },
  ]
  return (
    <FormBox form={form} isLong>
      <Sections of={sections} error={form.error} />
    </FormBox>
  )
}

/** Why mails cannot show a logo from this address, as soon as it is chosen: what is uploaded to a server without https. */
function logoProblem(url: string, t: Texts): string | undefined {
  const address = URL.parse(url.trim())
  return address?.protocol === 'http:' ? t.settings.logoPlain(address.origin) : undefined
}

/** The languages of pages and footers by their own names, and a tag that was given otherwise. */
function languages(given: string) {
  const known: readonly string[] = MAIL_LANGUAGES
  const all = given === '' || known.includes(given) ? known : [...known, given]
  return all.map((value) => ({ value, label: languageName(value) }))
}

type SettingsValues = ReturnType<typeof valuesOf>

function valuesOf(project: Project) {
  return {
    name: project.name,
    from: project.from?.email ?? '',
    fromName: project.from?.name ?? '',
    tracking: project.tracking,
    trackingConsent: project.trackingConsent,
    publicData: project.publicData,
    mode: project.mode,
    allowedRecipients: project.allowedRecipients.join('\n'),
    locale: project.locale ?? '',
    timeZone: project.timeZone ?? '',
    capMails: project.frequencyCap?.mails ?? 0,
    capDays: project.frequencyCap?.days ?? 7,
    postalAddress: project.look?.postalAddress ?? '',
    logoUrl: project.look?.logoUrl ?? '',
    color: project.look?.color ?? '',
    font: project.look?.font ?? 'sans',
    width: project.look?.width ?? 600,
    links: (project.look?.links ?? []) as readonly ProfileLink[],
    archiveSlug: project.archiveSlug ?? '',
    signUpUrl: project.signUpUrl ?? '',
    utm: (project.utm ?? {}) as Utm,
  }
}

function seenOf(project: Project): Seen<SettingsValues> {
  return { values: valuesOf(project), version: project.version }
}

function requestOf({
  from,
  fromName,
  locale,
  timeZone,
  capMails,
  capDays,
  postalAddress,
  logoUrl,
  color,
  font,
  width,
  links,
  archiveSlug,
  signUpUrl,
  allowedRecipients,
  ...rest
}: SettingsValues) {
  return {
    ...rest,
    allowedRecipients: allowedRecipients.split(/[\s,;]+/).filter((each) => each !== ''),
    archiveSlug: archiveSlug.trim() || null,
    signUpUrl: signUpUrl.trim() || null,
    locale: locale.trim() || null,
    timeZone: timeZone || null,
    frequencyCap: capMails > 0 ? { mails: capMails, days: capDays } : null,
    look: {
      postalAddress: postalAddress.trim() || null,
      logoUrl: logoUrl.trim() || null,
      color: color.trim() || null,
      font: font === 'sans' ? null : font,
      width: width === 600 ? null : width,
      links: links.filter(({ name, url }) => name.trim() !== '' || url.trim() !== ''),
    },
    from:
      from.trim() === '' ? null : { email: from.trim(), ...(fromName.trim() === '' ? {} : { name: fromName.trim() }) },
  }
}

function labelsOf({ settings: words, campaigns }: Texts) {
  const { name, sender, senderName, tracking, consent, locale, timeZone, capMails, capDays, postalAddress, logo } =
    words
  const { color, font, width, profiles, archiveSlug, signUpUrl } = words
  return {
    name,
    from: sender,
    fromName: senderName,
    tracking,
    trackingConsent: consent,
    mode: words.mode,
    allowedRecipients: words.allowed,
    locale,
    timeZone,
    capMails,
    capDays,
    postalAddress,
    logoUrl: logo,
    color,
    font,
    width,
    links: profiles,
    archiveSlug,
    signUpUrl,
    utm: campaigns.utm,
  }
}
