/** So far apart, in milliseconds, are checks that count toward losing a state: whoever asks often loses nothing by a blip. */
const APART_MS = 4 * 60_000

/** Whether a check that missed a record counts, after so many in a row that did, the last of them then. */
export function countsAsMissed(failures: number, missedAt: string | undefined, now: Date): boolean {
  return failures === 0 || missedAt === undefined || now.getTime() - Date.parse(missedAt) >= APART_MS
}
