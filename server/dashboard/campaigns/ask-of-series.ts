import { answerOf } from '../api/client.ts'
import { useApi } from '../api/project.tsx'
import { useLastQuestion } from '../parts/last-question.tsx'
import { useTexts } from '../texts/texts.tsx'
import { useCampaignFindings } from './findings.ts'

/** Asks before a series begins to send by itself, with what is found in the campaign that it is made of. */
export function useSeriesQuestion() {
  const t = useTexts()
  const api = useApi()
  const { ask } = useLastQuestion()
  const findings = useCampaignFindings()
  return async ({
    name,
    campaignId,
    sends,
  }: {
    readonly name: string
    readonly campaignId: string
    readonly sends: boolean
  }): Promise<boolean> => {
    // what is still to be filled in is said first
    if (!sends || campaignId === '' || name.trim() === '') return true
    const find = async () => {
      const answer = await answerOf(api.GET('/campaigns/{id}', { params: { path: { id: campaignId } } }))
      // whom an issue goes to, and what is new, is known only when it is made
      return (await findings(answer)).filter(({ message }) => message !== t.campaigns.checks.nobody)
    }
    const question = { title: t.series.beginTitle, yes: t.series.resume, yesAllTheSame: t.checks.turnOnAllTheSame }
    return ask(find, question)
  }
}
