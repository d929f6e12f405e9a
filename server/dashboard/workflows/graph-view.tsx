import '@xyflow/react/dist/base.css'
import { ActionIcon, Group, useComputedColorScheme } from '@mantine/core'
import { IconMaximize, IconMinus, IconPlus } from '@tabler/icons-react'
import {
  type Edge,
  type EdgeProps,
  Handle,
  MiniMap,
  type Node,
  type NodeProps,
  Panel,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStoreApi,
} from '@xyflow/react'
import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useRef } from 'react'
import { useTexts } from '../texts/texts.tsx'
import classes from './graph.module.css'
import { branchName, type Outlet, type Step } from './graph.ts'
import { type Layout, type Line, layoutOf } from './layout.ts'
import { AddButton, StepCard, useShown } from './step-card.tsx'

/** From so many steps on, only those in view are on the page, and a small map shows where one is. */
const MANY = 60
const ZOOM = { least: 0.15, most: 1.5, start: 0.9, readable: 0.4 }
/** The space between a step and the edge of the view, in pixels. */
const MARGIN = 24
const NOWHERE = { clientX: -1, clientY: -1 }

interface Drawn extends Record<string, unknown> {
  readonly step: Step
  readonly outlets: readonly Outlet[]
  readonly onKey: (step: Step, event: KeyboardEvent) => void
}
interface Led extends Record<string, unknown> {
  readonly line: Line
  readonly isTaken: boolean
}
type StepNode = Node<Drawn, 'step'>
type LineEdge = Edge<Led, 'line'>

const NODES = { step: memo(StepOnGraph) }
const EDGES = { line: memo(LineOnGraph) }

export interface GraphViewProps {
  /** Called when a way is drawn from an outlet to a step. */
  readonly connect?: (outlet: Outlet, toStepId: string) => void
  /** True for each line that the run on show has taken. */
  readonly isTaken?: (line: Line) => boolean
}

/** The steps of a workflow as a graph, from the start down. */
export default function GraphView(props: GraphViewProps) {
  return (
    <ReactFlowProvider>
      <View {...props} />
    </ReactFlowProvider>
  )
}

function View({ connect, isTaken }: GraphViewProps) {
  const t = useTexts()
  const scheme = useComputedColorScheme()
  const { workflow } = useShown()
  const drawing = JSON.stringify([
    workflow.steps.map(({ id, type, config }) => [id, type, config]),
    workflow.transitions,
    workflow.goal,
  ])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn says whether anything has to be laid out anew
  const layout = useMemo(() => layoutOf(workflow), [drawing])
  const view = useView(layout)
  const steps = useMemo(() => new Map(workflow.steps.map((step) => [step.id, step])), [workflow])
  const nodes = useMemo(() => nodesOf(layout, steps, view.onKey), [layout, steps, view.onKey])
  const edges = useMemo(() => edgesOf(layout, isTaken), [layout, isTaken])
  const outletOf = (from: string, branch: string | null | undefined) =>
    layout.outlets.get(from)?.find((outlet) => (outlet.branch ?? '') === (branch ?? ''))
  const drawn = (from: string, branch: string | null | undefined, to: string) => {
    const outlet = outletOf(from, branch)
    if (outlet && from !== to && outlet.way?.toStepId !== to && steps.has(to)) connect?.(outlet, to)
  }
  const isLarge = layout.steps.length > MANY
  return (
    <section className={classes.graph} aria-label={t.workflows.graph} ref={view.frame}>
      <ReactFlow<StepNode, LineEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        onConnect={({ source, sourceHandle, target }) => drawn(source, sourceHandle, target)}
        onConnectEnd={(event, { isValid, fromNode, fromHandle }) => {
          // all of a card takes the line, not only the middle of its top
          const { clientX, clientY } = 'changedTouches' in event ? (event.changedTouches[0] ?? NOWHERE) : event
          const card = document.elementFromPoint(clientX, clientY)?.closest('[data-id]')
          if (!isValid && fromNode && card) drawn(fromNode.id, fromHandle?.id, card.getAttribute('data-id') ?? '')
        }}
        isValidConnection={({ source, target }) => source !== target}
        onInit={view.start}
        onMove={(_, { zoom }) => view.frame.current?.setAttribute('data-far', String(zoom < ZOOM.readable))}
        onMoveStart={() => view.frame.current?.setAttribute('data-moving', 'true')}
        onMoveEnd={() => view.frame.current?.removeAttribute('data-moving')}
        colorMode={scheme}
        minZoom={ZOOM.least}
        maxZoom={ZOOM.most}
        onlyRenderVisibleElements={isLarge}
        nodesDraggable={false}
        nodesConnectable={connect !== undefined}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        connectOnClick={false}
        panOnScroll
        zoomOnDoubleClick={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        panActivationKeyCode={null}
        disableKeyboardA11y
        proOptions={{ hideAttribution: true }}
      >
        {isLarge ? <MiniMap pannable ariaLabel={t.workflows.map} className={classes.map} /> : null}
        <Controls />
      </ReactFlow>
    </section>
  )
}

function Controls() {
  const t = useTexts()
  const flow = useReactFlow()
  const controls = [
    [t.workflows.zoomIn, IconPlus, () => flow.zoomIn()],
    [t.workflows.zoomOut, IconMinus, () => flow.zoomOut()],
    [t.workflows.fit, IconMaximize, () => flow.fitView({ maxZoom: 1 })],
  ] as const
  return (
    <Panel position="top-right" className={classes.controls}>
      <Group gap={4}>
        {controls.map(([name, Icon, onClick]) => (
          <ActionIcon
            key={name}
            variant="default"
            size={28}
            aria-label={name}
            title={name}
            onClick={() => void onClick()}
          >
            <Icon size={15} />
          </ActionIcon>
        ))}
      </Group>
    </Panel>
  )
}

/** Where the view is, and how the arrows lead from step to step. */
function useView(layout: Layout) {
  const frame = useRef<HTMLElement>(null)
  const flow = useReactFlow()
  const store = useStoreApi()
  const latest = useRef(layout)
  const start = useCallback(() => {
    const { width, height } = store.getState()
    const { width: wide, height: high } = latest.current
    const fits = Math.min((width - 2 * MARGIN) / wide, (height - 2 * MARGIN) / high)
    // what does not fit in a size that can be read begins at its start
    if (fits >= 0.75) return void flow.fitView({ maxZoom: 1, padding: 0.05 })
    const first = latest.current.boxes.get(latest.current.steps[0]?.id ?? '')
    if (first === undefined) return
    const zoom = ZOOM.start
    void flow.setViewport({ x: width / 2 - (first.x + first.width / 2) * zoom, y: MARGIN - first.y * zoom, zoom })
  }, [flow, store])
  /** Moves the view so that the step is in it. */
  const show = useCallback(
    (id: string) => {
      const box = latest.current.boxes.get(id)
      if (box === undefined) return
      const { width, height } = store.getState()
      const { x, y, zoom } = flow.getViewport()
      const [left, top] = [box.x * zoom + x, box.y * zoom + y]
      const isIn =
        left >= 0 && top >= 0 && left + box.width * zoom <= width && top + Math.min(box.height * zoom, height) <= height
      if (!isIn) void flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom })
    },
    [flow, store],
  )
  const focus = useCallback(
    (id: string) => {
      show(id)
      // a step that was out of view is on the page only after the view has moved
      const later = (tries: number) => {
        const card = frame.current?.querySelector<HTMLElement>(`[data-step="${id}"]`)
        if (card) card.focus({ preventScroll: true })
        else if (tries > 0) requestAnimationFrame(() => later(tries - 1))
      }
      later(20)
    },
    [show],
  )
  const onKey = useCallback(
    ({ id }: Step, event: KeyboardEvent) => {
      const next = neighbour(latest.current, id, event.key)
      if (next === undefined) return
      event.preventDefault()
      focus(next)
    },
    [focus],
  )
  useEffect(() => {
    const before = latest.current
    latest.current = layout
    const added = layout.steps.filter(({ id }) => !before.boxes.has(id))
    if (added.length === 1 && added[0]) show(added[0].id)
  }, [layout, show])
  // a step at the edge that is reached by Tab moves into view
  useEffect(() => {
    const section = frame.current
    const onFocus = ({ target }: FocusEvent) => {
      const node = target instanceof Element && target.matches(':focus-visible') && target.closest('[data-id]')
      if (node) show(node.getAttribute('data-id') ?? '')
    }
    section?.addEventListener('focusin', onFocus)
    return () => section?.removeEventListener('focusin', onFocus)
  }, [show])
  return { frame, start, onKey }
}

/** The step that an arrow leads to: what follows, what comes before, or what stands beside. */
function neighbour({ steps, outlets, boxes }: Layout, id: string, key: string): string | undefined {
  if (key === 'ArrowDown') return outlets.get(id)?.find(({ way }) => way)?.way?.toStepId
  if (key === 'ArrowUp') return steps.find((step) => outlets.get(step.id)?.some(({ way }) => way?.toStepId === id))?.id
  const own = boxes.get(id)
  if (own === undefined || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return undefined
  const middle = own.y + own.height / 2
  const beside = [...boxes].filter(([, { x, y, height }]) => {
    const isInRow = Math.abs(y + height / 2 - middle) < 40
    return isInRow && (key === 'ArrowLeft' ? x < own.x : x > own.x)
  })
  const byX = beside.toSorted(([, a], [, b]) => Math.abs(a.x - own.x) - Math.abs(b.x - own.x))
  return byX[0]?.[0]
}

function nodesOf(layout: Layout, steps: ReadonlyMap<string, Step>, onKey: Drawn['onKey']): StepNode[] {
  return layout.steps.flatMap(({ id }): StepNode[] => {
    const [box, step] = [layout.boxes.get(id), steps.get(id)]
    if (box === undefined || step === undefined) return []
    const { x, y, width, height } = box
    const outlets = layout.outlets.get(id) ?? []
    const point = { width: 1, height: 1 }
    const handles = [
      { type: 'target' as const, position: Position.Top, x: width / 2, y: 0, ...point },
      ...outlets.map(({ branch }, at) => ({
        id: branch ?? '',
        type: 'source' as const,
        position: Position.Bottom,
        x: (width * (at + 0.5)) / outlets.length,
        y: height,
        ...point,
      })),
    ]
    const size = { width, height, measured: { width, height } }
    const data = { step, outlets, onKey }
    // a card is no "node" to a screen reader; and what cannot be chosen or dragged would let clicks through
    const rest = { domAttributes: { 'aria-roledescription': undefined }, style: { pointerEvents: 'all' as const } }
    return [{ id, type: 'step', position: { x, y }, handles, data, ...size, ...rest }]
  })
}

function edgesOf({ lines }: Layout, isTaken: GraphViewProps['isTaken']): LineEdge[] {
  return lines.map((line) => ({
    id: line.id,
    type: 'line',
    source: line.outlet.from,
    sourceHandle: line.outlet.branch ?? '',
    target: line.toStepId,
    data: { line, isTaken: isTaken?.(line) ?? false },
  }))
}

/** A step with the names of its branches and the places to add another one. */
function StepOnGraph({ data: { step, outlets, onKey } }: NodeProps<StepNode>) {
  const t = useTexts()
  const { add } = useShown()
  const key = useCallback((event: KeyboardEvent) => onKey(step, event), [step, onKey])
  return (
    <>
      <Handle type="target" position={Position.Top} className={classes.into} />
      <StepCard step={step} onKey={key} />
      {outlets.length === 0 ? null : (
        <div className={classes.outlets} data-branches={outlets[0]?.branch !== undefined}>
          {outlets.map((outlet) => (
            <div
              key={outlet.branch ?? ''}
              className={classes.outlet}
              data-open={outlet.way === undefined && add !== undefined}
            >
              {outlet.branch === undefined ? null : (
                <span className={classes.branch}>{branchName(outlet, step.type, t)}</span>
              )}
              <AddButton step={step} outlet={outlet} />
              <Handle
                type="source"
                id={outlet.branch ?? ''}
                position={Position.Bottom}
                className={classes.from}
                title={t.workflows.drag}
              />
            </div>
          ))}
        </div>
      )}
    </>
  )
}

/** The line between two steps, with its arrow. */
function LineOnGraph({ data }: EdgeProps<LineEdge>) {
  if (data === undefined) return null
  const {
    line: { path, end },
    isTaken,
  } = data
  return (
    <g className={classes.line} data-taken={isTaken}>
      <path d={path} />
      <polygon points={`${end.x - 5},${end.y - 8} ${end.x + 5},${end.y - 8} ${end.x},${end.y - 1}`} />
    </g>
  )
}
