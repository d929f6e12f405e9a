import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useFirstTexts } from '../texts/texts.tsx'
import { useFormats } from './formats.ts'

/** In seconds. */
const DAY = 86_400
const HOUR = 3600

export interface Series {
  readonly name: string
  readonly values: readonly number[]
  /** A color of the theme that is readable on light and dark: `#0c8599`. */
  readonly color: string
}

/** uPlot. Its legend has the sums until a day is pointed at. */
export default function TimeChartView({
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
  const { ref: size, width } = useElementSize()
  const place = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  const formats = useFormats()
  const t = useFirstTexts()
  useEffect(() => {
    if (width === 0 || place.current === null) return
    const text = scheme === 'dark' ? '#c9c9c9' : '#495057'
    const grid = scheme === 'dark' ? '#3b3b3b' : '#e9ecef'
    const axis = {
      stroke: text,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: grid, width: 1 },
      font: '12px sans-serif',
    }
    const step = hours ? HOUR : DAY
    const only = times.length === 1 ? (times[0]?.getTime() ?? 0) / 1000 : undefined
    const plot = new UPlot(
      {
        width,
        height,
        cursor: { y: false },
        // around a single day or hour it would show whole years
        scales: {
          x: { time: true, ...(only === undefined ? {} : { range: [only - step, only + step] }) },
          y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.08)] },
        },
        series: [
          {
            label: hours ? t.anywhere.hour : t.anywhere.day,
            value: (_plot, at) => {
              if (at == null) return t.anywhere.sum
              return (hours ? formats.time : formats.day)(new Date(at * 1000))
            },
          },
          ...series.map(({ name, color, values }) => ({
            label: name,
            // a little lighter on dark, so that thin lines are seen
            stroke: scheme === 'dark' ? `color-mix(in srgb, ${color} 60%, white)` : color,
            width: 2,
            points: { show: times.length < 3 },
            value: (_plot: UPlot, value: number | null) =>
              formats.number(value ?? values.reduce((sum, each) => sum + each, 0)),
          })),
        ],
        axes: [
          {
            ...axis,
            // a day has one line
            ...(hours ? {} : { incrs: [1, 2, 3, 7, 14, 28, 56, 112].map((count) => count * DAY) }),
            values: (_plot, ticks) =>
              ticks.map((at) => {
                const moment = new Date(at * 1000)
                return hours && moment.getHours() + moment.getMinutes() > 0
                  ? moment.toLocaleTimeString(formats.locale, { timeStyle: 'short' })
                  : moment.toLocaleDateString(formats.locale, { day: 'numeric', month: 'short' })
              }),
            space: 70,
          },
          {
            ...axis,
            values: (_plot, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? formats.short(tick) : '')),
            size: 48,
          },
        ],
      },
      [times.map((time) => time.getTime() / 1000), ...series.map(({ values }) => [...values])],
      place.current,
    )
    return () => plot.destroy()
  }, [times, hours, series, width, height, scheme, formats, t])
  return (
    // its place is kept until it is drawn, so that nothing below it jumps
    <div ref={size} role="img" aria-label={label} style={{ minHeight: height }}>
      <div ref={place} />
    </div>
  )
}
