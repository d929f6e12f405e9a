import { useElementSize } from '@mantine/hooks'
import { type PointerEvent, useState } from 'react'
import { useFirstTexts } from '../texts/texts.tsx'
import { useFormats } from './formats.ts'
import styles from './time-chart.module.css'
import { stepBelow, stepOver } from './time-chart-steps.ts'

const LEFT = 48
const RIGHT = 12
const TOP = 8
const BOTTOM = 26
/** How far the words below the chart, and the lines across it, are apart at least. */
const WORDS_APART = 70
const LINES_APART = 36

export interface Series {
  readonly name: string
  readonly values: readonly number[]
  /** A color of the theme that is readable on light and dark: `#0c8599`. */
  readonly color: string
}

/** Lines over days or hours. Its legend has the sums until a day is pointed at. */
export function TimeChartView({
  label,
  times,
  hours,
  series,
  height,
}: {
  readonly label: string
  /** When each day or hour begins. */
  readonly times: readonly Date[]
  readonly hours: boolean
  readonly series: readonly Series[]
  readonly height: number
}) {
  const { ref, width } = useElementSize()
  const [pointed, setPointed] = useState<number>()
  const formats = useFormats()
  const t = useFirstTexts()
  const at = pointed !== undefined && pointed < times.length ? pointed : undefined

  const most = Math.max(1, ...series.flatMap(({ values }) => values)) * 1.08
  const [first, last] = [times[0]?.getTime() ?? 0, times.at(-1)?.getTime() ?? 0]
  const inner = { width: Math.max(1, width - LEFT - RIGHT), height: height - TOP - BOTTOM }
  // a single day or hour stands in the middle
  const x = (time: number) => LEFT + inner.width * (last === first ? 0.5 : (time - first) / (last - first))
  const y = (value: number) => TOP + inner.height * (1 - value / most)
  const pathOf = (values: readonly number[]) =>
    times
      .map((time, i) => `${i === 0 ? 'M' : 'L'}${x(time.getTime()).toFixed(1)} ${y(values[i] ?? 0).toFixed(1)}`)
      .join('')

  const room = times.length === 1 ? inner.width : inner.width / (times.length - 1)
  const every = stepBelow(Math.ceil(WORDS_APART / room), hours)
  // hours are told from midnight on, and days from the newest back
  const isTold = (time: Date, i: number) =>
    hours ? (every < 24 ? time.getHours() % every === 0 : time.getHours() === 0) : (times.length - 1 - i) % every === 0
  const step = stepOver(most / Math.max(1, Math.floor(inner.height / LINES_APART)))
  const lines = Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step)

  const point = ({ nativeEvent, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const wanted = nativeEvent.clientX - currentTarget.getBoundingClientRect().left
    const far = (i: number) => Math.abs(x(times[i]?.getTime() ?? 0) - wanted)
    setPointed(times.reduce((best, _, i) => (far(i) < far(best) ? i : best), 0))
  }
  return (
    <div className={styles.chart}>
      {/* its place is kept until it is drawn, so that nothing below it jumps */}
      <div ref={ref} style={{ minHeight: height }}>
        {width === 0 ? null : (
          <svg
            role="img"
            aria-label={label}
            width={width}
            height={height}
            onPointerMove={point}
            onPointerDown={point}
            onPointerLeave={() => setPointed(undefined)}
          >
            {lines.map((value) => (
              <g key={value}>
                <line className={styles.grid} x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
                <text className={styles.word} x={LEFT - 8} y={y(value)} dy="0.32em" textAnchor="end">
                  {formats.short(value)}
                </text>
              </g>
            ))}
            {times.map((time, i) =>
              isTold(time, i) ? (
                <text
                  key={time.getTime()}
                  className={styles.word}
                  x={Math.min(Math.max(x(time.getTime()), LEFT), width - RIGHT - 18)}
                  y={height - 6}
                  textAnchor="middle"
                >
                  {hours && time.getHours() > 0 ? formats.clock(time) : formats.shortDay(time)}
                </text>
              ) : null,
            )}
            {at === undefined ? null : (
              <line
                className={styles.pointer}
                x1={x(times[at]?.getTime() ?? 0)}
                x2={x(times[at]?.getTime() ?? 0)}
                y1={TOP}
                y2={height - BOTTOM}
              />
            )}
            {series.map(({ name, color, values }) => (
              <g key={name} className={styles.series} style={{ color }}>
                <path d={pathOf(values)} />
                {times.map((time, i) =>
                  times.length < 3 || i === at ? (
                    <circle key={time.getTime()} cx={x(time.getTime())} cy={y(values[i] ?? 0)} r={4} />
                  ) : null,
                )}
              </g>
            ))}
          </svg>
        )}
      </div>
      <div className={styles.legend}>
        <span className={styles.when}>{at === undefined ? t.anywhere.sum : wordOf(times[at])}</span>
        {series.map(({ name, color, values }) => (
          <span key={name}>
            <i style={{ color }} /> {name} <b>{formats.number(at === undefined ? sumOf(values) : (values[at] ?? 0))}</b>
          </span>
        ))}
      </div>
    </div>
  )

  function wordOf(time: Date | undefined) {
    return time === undefined ? '' : (hours ? formats.time : formats.day)(time)
  }
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0)
}
