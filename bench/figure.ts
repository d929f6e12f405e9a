/** One measured figure. */
export interface Figure {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** What it is compared with, or how it was measured. */
  readonly note?: string
}
