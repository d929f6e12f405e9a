/** One measured figure. */
export interface Figure {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The figure that it is compared with, or how it was measured. */
  readonly note?: string
}
