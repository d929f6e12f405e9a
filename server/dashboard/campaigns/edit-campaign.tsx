import { Alert, Button, Paper, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { answerOf } from '../api/client.ts'
import { useApi, useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { SavingText, useAutosave } from '../parts/autosave.tsx'
import { BothChanged } from '../parts/both-changed.tsx'
import { FilterWords } from '../parts/filter/filter-builder.tsx'
import { FormBox } from '../parts/form.tsx'
import { type Seen, useSharedForm } from '../parts/joint-form.tsx'
import { LayoutSelect } from '../parts/layout-select.tsx'
import { useFollowedLook } from '../parts/mail-editor/follow-look.ts'
import { MailEditor } from '../parts/mail-editor/mail-editor.tsx'
import { MailHead } from '../parts/mail-editor/mail-head.tsx'
import { SubjectIdeas } from '../parts/mail-editor/subject-ideas.tsx'
import { writtenFields } from '../parts/mail-editor/written.ts'
import { objectOf } from '../parts/pairs.ts'
import { wordsOf } from '../parts/refusals.tsx'
import { SenderField } from '../parts/sender-field.tsx'
import { changedOnly } from '../parts/three-way.ts'
import { TransportSelect } from '../parts/transport-select.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { AudienceFields } from './audience-fields.tsx'
import { type CampaignValues, valuesOf, variantsRequest } from './campaign-values.ts'
import { CheckStep } from './check-step.tsx'
import { MailExtras } from './mail-extras.tsx'
import type { Campaign } from './queries.ts'
import { SendStep } from './send-step.tsx'
import { TooLate } from './too-late.tsx'
import { VariantTabs } from './variants-fields.tsx'

/** Fields that are one thing: the mail and what it was made of, and who gets it. */
const TOGETHER = [
  ['body', 'design', 'source'],
  ['audienceType', 'segmentId', 'audienceFilter'],
] as const

const STEPS = ['content', 'sender', 'audience', 'check', 'send'] as const

/** Whether a campaign can still be changed. */
export function isWritten({ status }: Campaign): boolean {
  return status === 'DRAFT' || status === 'SCHEDULED'
}

/**
 * A draft in five steps. All of it is one form: whichever step is open, saving saves all. It stays open with what was not
 * saved when the campaign began to be sent.
 */
export function EditCampaign({
  campaign,
  onUnsaved,
}: {
  readonly campaign: Campaign
  readonly onUnsaved: (is: boolean) => void
}) {
  const t = useTexts()
  const api = useApi()
  const may = useMay()
  const { values, change } = useAddress()
  const steps = may.campaigns ? STEPS : STEPS.slice(0, 3)
  const step = steps.find((each) => each === values.step) ?? 'content'
  const requestOf = (values: CampaignValues) => {
    const { preheader, layoutId, topicId, replyTo, headers, transport, segmentId, audienceFilter, ...mail } = values
    const { body: html, design, source, variants, ...body } = mail
    return {
      ...body,
      ...writtenFields({ body: html, design, source }),
      preheader: preheader || null,
      layoutId: layoutId || null,
      topicId: topicId || null,
      replyTo: replyTo.trim() || null,
      headers: (objectOf(headers, t.campaigns.headers, t) ?? null) as Readonly<Record<string, string>> | null,
      transport: transport || null,
      variants: variantsRequest(variants),
      ...(body.audienceType === 'SEGMENT' ? { segmentId } : {}),
      ...(body.audienceType === 'FILTERED' ? { audienceFilter } : {}),
    }
  }
  const path = { params: { path: { id: campaign.id } } }
  const form = useSharedForm({
    seen: seenOf(campaign),
    seenAfter: seenOf,
    read: async () => seenOf(await answerOf(api.GET('/campaigns/{id}', path))),
    save(values, before) {
      const body = { ...changedOnly(requestOf(values), requestOf(before.values), TOGETHER), version: before.version }
      return answerOf(api.PATCH('/campaigns/{id}', { ...path, body }))
    },
    together: TOGETHER,
    labels: labelsOf(t),
    show: { audienceFilter: (filter) => <FilterWords filter={filter} /> },
    autosave: true,
    outlives: true,
    changes: ['campaigns'],
    names: { template: 'body', audienceCondition: 'audienceFilter' },
  })
  useFollowedLook(form.values, form.setAll, may.campaigns && step !== 'content')
  const [variant, setVariant] = useState('A')
  const isOpen = isWritten(campaign)
  const saving = useAutosave(form, may.campaigns && isOpen)
  useEffect(() => {
    onUnsaved(form.isChanged)
    return () => onUnsaved(false)
  }, [onUnsaved, form.isChanged])
  const refusal = form.errorOf('body') ?? form.errorOf('source')
  const next = STEPS[STEPS.indexOf(step) + 1] ?? 'send'
  const goOn = async () => {
    if (!form.isChanged || (await form.submit())) change({ step: next })
  }
  return (
    <Tabs value={step} onChange={(chosen) => change({ step: chosen ?? undefined })} keepMounted={false}>
      <Tabs.List mb="xs">
        {steps.map((each, at) => (
          <Tabs.Tab key={each} value={each}>
            {at + 1}. {t.campaigns.steps[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {isOpen ? null : (
        <TooLate
          campaign={campaign}
          write={(client, id) =>
            client.PATCH('/campaigns/{id}', {
              params: { path: { id } },
              body: changedOnly(requestOf(form.values), requestOf(form.saved), TOGETHER),
            })
          }
          onDiscard={() => form.reset(form.saved)}
        />
      )}
      {form.isChanged && (step === 'check' || step === 'send') ? (
        <Alert color="yellow" title={t.campaigns.saveFirst}>
          {form.question === undefined ? null : <BothChanged question={form.question} />}
          {form.error === undefined || form.question ? null : <Text size="sm">{wordsOf(form.error, t).message}</Text>}
          <Button mt="xs" loading={form.isBusy} onClick={() => void form.submit()}>
            {t.anywhere.save}
          </Button>
        </Alert>
      ) : step === 'check' ? (
        <CheckStep
          campaign={campaign}
          variant={variant}
          onVariant={setVariant}
          onDone={() => change({ step: 'send' })}
        />
      ) : step === 'send' ? (
        <SendStep campaign={campaign} />
      ) : (
        <FormBox
          form={form}
          readOnly={!may.campaigns}
          beside={
            <>
              <SavingText saving={saving} saved={t.campaigns.savedAt} labels={labelsOf(t)} />
              <Button
                variant="light"
                rightSection={<IconArrowRight size={16} />}
                onClick={() => void goOn()}
                disabled={form.isBusy}
              >
                {t.campaigns.goOn(t.campaigns.steps[next])}
              </Button>
            </>
          }
        >
          <Paper withBorder p={step === 'content' ? 'xs' : 'lg'}>
            {step === 'content' ? (
              <VariantTabs form={form} open={variant} onOpen={setVariant}>
                <Stack>
                  <div>
                    <MailEditor
                      key={form.takenOf('body')}
                      follows
                      head={
                        <MailHead
                          subject={form.text('subject')}
                          preheader={form.text('preheader')}
                          ideas={
                            <SubjectIdeas
                              body={form.values.body}
                              onChoose={(subject) => form.set('subject', subject)}
                            />
                          }
                        />
                      }
                      label={t.campaigns.body}
                      subject={form.values.subject}
                      preheader={form.values.preheader}
                      body={form.values.body}
                      layoutId={form.values.layoutId}
                      design={form.values.design}
                      source={form.values.source}
                      onChange={form.setAll}
                    />
                    {refusal === undefined ? null : <p role="alert">{refusal}</p>}
                  </div>
                  <LayoutSelect {...form.field('layoutId')} />
                </Stack>
              </VariantTabs>
            ) : step === 'sender' ? (
              <Stack maw={560}>
                <SenderField {...form.field('from')} />
                <TextInput label={t.campaigns.fromName} {...form.text('fromName')} />
                <TextInput
                  label={t.campaigns.replyTo}
                  description={t.campaigns.replyToHint}
                  type="email"
                  {...form.text('replyTo')}
                />
                <TransportSelect {...form.field('transport')} />
                <TextInput
                  label={t.campaigns.name}
                  description={t.campaigns.nameHint}
                  required
                  {...form.text('name')}
                />
                <Textarea label={t.campaigns.description} autosize minRows={2} {...form.text('description')} />
              </Stack>
            ) : (
              <AudienceFields form={form} />
            )}
          </Paper>
          {step === 'content' ? <MailExtras campaign={campaign} form={form} /> : null}
        </FormBox>
      )}
    </Tabs>
  )
}

function seenOf(campaign: Campaign): Seen<CampaignValues> {
  return { values: valuesOf(campaign), version: campaign.version }
}

function labelsOf(t: Texts) {
  const { subject, body, from, fromName, replyTo, name, description, headers, utm, audience } = t.campaigns
  const own = { subject, body, from, fromName, replyTo, name, description, headers, utm, audienceType: audience }
  return {
    ...own,
    audienceFilter: t.filter.label,
    segmentId: t.campaigns.audienceSegment,
    preheader: t.templates.preheader,
    layoutId: t.pieces.layout,
    topicId: t.topics.one,
    transport: t.routes.server,
    variants: t.variants.title,
  }
}
